"""The values that travel through the pipeline. Frozen; no behaviour, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return EMPTY  # by a function: Python 3.11 refuses an unhashable default


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, as the authentication layer in front of us says in headers."""

    user: str | None = None
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """Counts read off the messages; no text."""

    roles: Mapping[str, int] = field(default_factory=_empty)  # messages per role
    tool_definitions: int = 0  # len(tools) + len(functions)
    assistant_tool_calls: int = 0
    tool_results: int = 0  # messages with role tool (or function)
    active_tool_loop: bool = False
    images: int = 0  # image parts in user messages
    pictures: int = 0  # in all messages
    context_bytes: int = 0  # UTF-8 bytes of the non-user texts and the current user text
    floor_tokens: int = 0  # conservative size of the whole request incl. reserved output


@dataclass(frozen=True, slots=True)
class Request:
    """One chat request, as the signals see it (spec/signals.md 2.0)."""

    model: str
    text: str  # evaluation text: current user text, or else the non-user texts
    user_text: str = ""  # the last user message that has text
    prior_user_texts: tuple[str, ...] = ()  # oldest first
    non_user_texts: tuple[str, ...] = ()  # system, developer, assistant; no tool results
    has_assistant_reply: bool = False
    # What user turns show, in order, as written: data: URIs, and http(s) URLs that need fetching.
    images: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=_empty)
    shape: Shape = field(default_factory=Shape)
    identity: Identity = field(default_factory=Identity)
    headers: Mapping[str, str] = field(default_factory=_empty)  # lower-case names
    stream: bool = False
    body: Mapping[str, Any] = field(
        default_factory=_empty
    )  # the client's JSON, never changed in place
    raw: bytes = b""  # the bytes `body` was read from; empty when it did not come over HTTP


@dataclass(frozen=True, slots=True)
class Reading:
    """What one signal family found in one request.

    `matches` maps a rule's name to its confidence in [0, 1], or to None where the family
    records none (a decision then counts it as 1.0). `values` holds numbers for predicates and
    projections, keyed `rule` or `rule:sub`. `unknown` maps a rule that could not be judged to
    a reason code; such a rule is neither matched nor unmatched. `truncated`: the text was too
    long, and the family read a sample of it. `failed`: the reason code of a failure of the models
    for which the family has an answer of its own, so that no rule is unknown.
    """

    matches: Mapping[str, float | None] = field(default_factory=_empty)
    values: Mapping[str, float] = field(default_factory=_empty)
    unknown: Mapping[str, str] = field(default_factory=_empty)
    truncated: bool = False
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """All readings of one request, by family, and how long each took (seconds)."""

    readings: Mapping[str, Reading] = field(default_factory=_empty)
    seconds: Mapping[str, float] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that a decision may choose, with the policy that goes with it."""

    model: str  # logical name: a model card
    lora: str | None = None
    use_reasoning: bool = False
    reasoning_effort: str | None = None

    @property
    def name(self) -> str:
        """What answers: the adapter, or else the model."""
        return self.lora or self.model


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision that applies."""

    decision: str
    confidence: float  # mean over AND, maximum over OR, 1.0 for what has no score
    measured: bool = False  # at least one real score went into `confidence`


SelectionStatus = Literal[
    "selected", "planned_final", "fallback", "execution_required", "unavailable", "failed"
]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which model answers, and how the policy came to it.

    `method` is the algorithm that the decision names, run or not (selection.ran says which ran).
    `scores` are the candidates', in file order, higher is better unless the algorithm says
    otherwise; none where nothing was compared. `confidence` is between 0 and 1.
    """

    chosen: Candidate
    method: str
    status: SelectionStatus = "selected"
    reason: str = ""
    scores: tuple[float | None, ...] = ()  # None: the candidate was left out
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """The outcome of routing: everything the answer, /api/v1/eval and `tsr explain` need."""

    requested_model: str
    resolution: Literal["routed", "passthrough"]
    recipe: str | None
    verdict: Verdict | None  # None: pass-through, or no decision matched
    plan: Plan
    candidates: tuple[Candidate, ...] = ()
    tier: int = 0  # of the decision
    facts: Facts = field(default_factory=Facts)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One line of GET /v1/models: a name a client may ask for (spec/http.md 7.1)."""

    id: str
    resolution: Literal["virtual", "passthrough"]
    owned_by: str
    description: str | None = None
    recipe: str | None = None
    selectable: bool = True
    default_route: bool = False
