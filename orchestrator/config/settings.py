"""`global` (spec/config.md 1.6): run-time settings with the format's defaults.

`router.signal_deadline`, `signal_deadlines`, `not_run_signals`, `max_body_bytes` and
`services.triton` and `images` are additions of this project; everything else is the v0.3 format.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from orchestrator.config.catalog import ModelCatalog
from orchestrator.config.fields import (
    NOT_RUN,
    NOT_RUN_IF_ON,
    Count,
    Duration,
    Name,
    NotRun,
    Opaque,
    Strict,
)
from orchestrator.config.images import Images
from orchestrator.config.integrations import Integrations
from orchestrator.config.services import Services
from orchestrator.config.stores import Stores


class StreamedBody(Strict):
    enabled: bool = False
    """Reads bodies as they come."""
    max_bytes: Count | None = None
    """Of one body."""
    timeout_sec: Count | None = None
    """For one body."""


class SkipProcessing(Strict):
    enabled: bool = False
    """Lets a header pass a request by the router."""


class ModelSelection(Strict):
    """Defaults for the selectors; each block belongs to the selector of that name, `ml` to those
    that are trained. A decision without an algorithm is static, whatever `method` says
    (spec/decisions.md 3.5).
    """

    enabled: Annotated[bool, NotRun(bool)] = True
    """Lets selectors choose."""
    method: Annotated[Name, NOT_RUN] = "knn"
    """Of decisions without an algorithm, which are static here."""
    router_dc: Opaque = {}
    """Defaults of the algorithm router_dc."""
    automix: Opaque = {}
    """Defaults of the algorithm automix."""
    hybrid: Opaque = {}
    """Defaults of the algorithm hybrid."""
    momentum: Annotated[Opaque, NOT_RUN] = {}
    """Staying with a model over turns."""
    ml: Opaque = {}
    """What the trained algorithms share: knn, kmeans, svm, mlp."""


class LearningAdaptation(Strict):
    enabled: bool = False
    """Chooses by experience."""
    candidate_set: Literal["decision", "tier", "global"] = "decision"
    """Who may be chosen."""
    strategy: Literal["routing_sampling"] = "routing_sampling"
    """How."""


class IdentityHeaders(Strict):
    session: Name | None = None
    """Names the session."""
    conversation: Name | None = None
    """Names the conversation."""


class LearningIdentity(Strict):
    headers: IdentityHeaders = IdentityHeaders()
    """Request headers that say whose turn it is."""


class ProtectionTuning(Strict):
    idle_timeout_seconds: Count = 300
    """After which a session may move."""
    min_turns_before_switch: Count = 1
    """Before a session may move."""
    switch_margin: float = 0.05
    """By how much another model must be better."""
    stability_weight: float = 1.0
    """How much staying counts."""


class LearningProtection(Strict):
    enabled: bool = False
    """Keeps a session with its model."""
    scope: Literal["conversation", "session"] = "conversation"
    """What stays together."""
    identity: LearningIdentity = LearningIdentity()
    """How it is recognised."""
    tuning: ProtectionTuning = ProtectionTuning()
    """When it may move all the same."""
    store: Literal["local", "redis"] | None = None
    """Where it is remembered."""


class LearningState(Strict):
    backend: Name | None = None
    """Where experience is kept."""
    ttl_seconds: Count | None = None
    """For how long."""
    timeout_ms: Count | None = None
    """Of one access."""
    redis: Opaque = {}
    """Its server."""


class Learning(Strict):
    enabled: bool = False
    """Learns from outcomes."""
    adaptation: LearningAdaptation = LearningAdaptation()
    """Choosing by experience."""
    protection: LearningProtection = LearningProtection()
    """Staying with a model."""
    state_store: LearningState = LearningState()
    """Where it is remembered."""


def _file(value: object) -> bool:
    return bool(value == "file")


Strategy = Literal["priority", "confidence"]
Deadline = Annotated[Duration, Field(gt=0)]
ALWAYS = ("vllm-sr/auto", "auto")  # automatic names, whatever the file calls its own


class Router(Strict):
    config_source: Annotated[Literal["file", "kubernetes"], NotRun(_file)] = "file"
    """Where policies come from."""
    strategy: Strategy = "priority"
    """How one of several decisions that hold is chosen, where the recipe says none."""
    auto_model_name: Name = "MoM"
    """What clients ask for who leave the choice to the router."""
    auto_model_names: tuple[Name, ...] | None = None
    """More such names; an empty list: none at all, not even the one above."""
    include_config_models_in_list: bool = False
    """Lists the models of the policy in /v1/models too."""
    clear_route_cache: Annotated[bool, NOT_RUN] = True
    """Of Envoy."""
    streamed_body: Annotated[StreamedBody, NOT_RUN_IF_ON] = StreamedBody()
    """Of Envoy: reading bodies as they come."""
    skip_processing: Annotated[SkipProcessing, NOT_RUN_IF_ON] = SkipProcessing()
    """A header that passes a request by the router."""
    model_selection: ModelSelection = ModelSelection()
    """Defaults of the algorithms."""
    learning: Annotated[Learning, NOT_RUN_IF_ON] = Learning()
    """From outcomes."""
    signal_deadline: Deadline = 2.0
    """A signal family that takes longer is unknown."""
    signal_deadlines: dict[Name, Deadline] = {}
    """The same for single families, by name."""
    not_run_signals: Literal["no_match", "unknown"] = "no_match"
    """What rules are that this version does not run."""
    max_body_bytes: int = Field(default=33_554_432, gt=0)
    """Of a request; a larger one is a 413."""

    @field_validator("strategy", mode="before")
    @classmethod
    def _unset(cls, value: object) -> object:
        return "priority" if value == "" else value

    def auto_names(self) -> tuple[str, ...]:
        """Model names that mean "route by the recipe `default`", unless the file gives one of
        them to a model or an entrypoint.
        """
        if self.auto_model_names == ():
            return ()
        more = self.auto_model_names or ()
        return tuple(dict.fromkeys((*ALWAYS, self.auto_model_name, *more)))

    def reserved_names(self) -> tuple[str, ...]:
        """The automatic names that the format lets no entrypoint take: a list that is given
        replaces the format's own names, which this project only adds to it.
        """
        return self.auto_names() if self.auto_model_names is None else self.auto_model_names


class Global(Strict):
    router: Router = Router()
    """How requests are decided."""
    services: Services = Services()
    """The router's own interfaces, and what watches them."""
    stores: Stores = Stores()
    """What is remembered between requests."""
    integrations: Integrations = Integrations()
    """Tools, and algorithms that call several models."""
    model_catalog: ModelCatalog = ModelCatalog()
    """The models that read signals, and how they are used."""
    images: Images = Images()
    """How pictures in requests become evidence."""
