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
    max_bytes: Count | None = None
    timeout_sec: Count | None = None


class SkipProcessing(Strict):
    enabled: bool = False


class ModelSelection(Strict):
    """Defaults for the selectors; each block belongs to the selector of that name, `ml` to those
    that are trained. A decision without an algorithm is static, whatever `method` says
    (spec/decisions.md 3.5).
    """

    enabled: Annotated[bool, NotRun(bool)] = True
    method: Annotated[Name, NOT_RUN] = "knn"
    router_dc: Opaque = {}
    automix: Opaque = {}
    hybrid: Opaque = {}
    momentum: Annotated[Opaque, NOT_RUN] = {}
    ml: Opaque = {}


class LearningAdaptation(Strict):
    enabled: bool = False
    candidate_set: Literal["decision", "tier", "global"] = "decision"
    strategy: Literal["routing_sampling"] = "routing_sampling"


class IdentityHeaders(Strict):
    session: Name | None = None
    conversation: Name | None = None


class LearningIdentity(Strict):
    headers: IdentityHeaders = IdentityHeaders()


class ProtectionTuning(Strict):
    idle_timeout_seconds: Count = 300
    min_turns_before_switch: Count = 1
    switch_margin: float = 0.05
    stability_weight: float = 1.0


class LearningProtection(Strict):
    enabled: bool = False
    scope: Literal["conversation", "session"] = "conversation"
    identity: LearningIdentity = LearningIdentity()
    tuning: ProtectionTuning = ProtectionTuning()
    store: Literal["local", "redis"] | None = None


class LearningState(Strict):
    backend: Name | None = None
    ttl_seconds: Count | None = None
    timeout_ms: Count | None = None
    redis: Opaque = {}


class Learning(Strict):
    enabled: bool = False
    adaptation: LearningAdaptation = LearningAdaptation()
    protection: LearningProtection = LearningProtection()
    state_store: LearningState = LearningState()


def _file(value: object) -> bool:
    return bool(value == "file")


Strategy = Literal["priority", "confidence"]
Deadline = Annotated[Duration, Field(gt=0)]
ALWAYS = ("vllm-sr/auto", "auto")  # automatic names, whatever the file calls its own


class Router(Strict):
    config_source: Annotated[Literal["file", "kubernetes"], NotRun(_file)] = "file"
    strategy: Strategy = "priority"
    auto_model_name: Name = "MoM"
    auto_model_names: tuple[Name, ...] | None = None  # more of them; an empty list: none at all
    include_config_models_in_list: bool = False
    clear_route_cache: Annotated[bool, NOT_RUN] = True  # of Envoy
    streamed_body: Annotated[StreamedBody, NOT_RUN_IF_ON] = StreamedBody()
    skip_processing: Annotated[SkipProcessing, NOT_RUN_IF_ON] = SkipProcessing()
    model_selection: ModelSelection = ModelSelection()
    learning: Annotated[Learning, NOT_RUN_IF_ON] = Learning()
    signal_deadline: Deadline = 2.0  # a family that takes longer is unknown
    signal_deadlines: dict[Name, Deadline] = {}  # by signal family
    not_run_signals: Literal["no_match", "unknown"] = "no_match"
    max_body_bytes: int = Field(default=33_554_432, gt=0)  # request body; 32 MiB

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
    services: Services = Services()
    stores: Stores = Stores()
    integrations: Integrations = Integrations()
    model_catalog: ModelCatalog = ModelCatalog()
    images: Images = Images()
