"""`decisions[]` of a recipe (spec/decisions.md 3.2, 3.4): the rule tree and its policy.

Algorithm blocks and plugin configurations stay opaque: the extension that owns one checks it.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from orchestrator.config.effects import (
    Adaptations,
    Emit,
    OutputContract,
    bypassed,
    told_by_headers,
)
from orchestrator.config.fields import NOT_RUN, Count, Name, NotRun, Opaque, Strict


class Predicate(Strict):
    """Bounds on a number; at least one, at most one on each side, and a value that fits both."""

    gt: float | None = None
    """Above."""
    gte: float | None = None
    """At least."""
    lt: float | None = None
    """Below."""
    lte: float | None = None
    """At most."""

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        lows = [bound for bound in (self.gt, self.gte) if bound is not None]
        highs = [bound for bound in (self.lt, self.lte) if bound is not None]
        if not lows and not highs:
            raise ValueError("needs at least one of gt, gte, lt, lte")
        if len(lows) > 1:
            raise ValueError("gt and gte exclude each other")
        if len(highs) > 1:
            raise ValueError("lt and lte exclude each other")
        if lows and highs:
            open_ended = self.gt is not None or self.lt is not None
            if lows[0] > highs[0] or (lows[0] == highs[0] and open_ended):
                raise ValueError("no number lies between these bounds")
        return self


class Node(Strict):
    """A leaf (`type` set) or AND / OR / NOT over `conditions` (spec/decisions.md 3.2).

    AND without conditions always holds; OR without conditions never does. Whether the family
    knows the name, and whether its leaves take a label, is checked with the names at hand
    (`check.leaves`).
    """

    type: Name | None = None
    """A signal family, or projection; such a condition is a leaf."""
    name: Name | None = None
    """Of a rule of that family, or of an output."""
    predicate: Predicate | None = None
    """Bounds on the rule's number; none: it matches."""
    label: Name | None = None
    """Of a classifiers rule, whose score the predicate then bounds."""
    on_error: Literal["match", "no_match"] | None = None
    """What a leaf with a label is where its score is unknown."""
    operator: Literal["AND", "OR", "NOT"] | None = None
    """In place of type and name: how `conditions` combine."""
    conditions: tuple[Node, ...] = ()
    """Leaves and operators, without limit; one for NOT."""

    @model_validator(mode="after")
    def _leaf_or_composite(self) -> Self:
        if self.type is not None:
            self._check_leaf()
        else:
            self._check_composite()
        return self

    def _check_leaf(self) -> None:
        if self.operator is not None or self.conditions:
            raise ValueError(
                "a condition has either type and name, or operator and conditions, not both"
            )
        if self.name is None:
            raise ValueError(f"a condition of type {self.type!r} needs a name")
        if self.label is not None and self.predicate is None:
            raise ValueError("a condition with a label needs a predicate over the label's score")
        if self.on_error is not None and self.label is None:
            raise ValueError("on_error is for conditions with a label only")

    def _check_composite(self) -> None:
        if self.operator is None:
            raise ValueError("a condition needs type and name, or operator and conditions")
        for key in ("name", "predicate", "label", "on_error"):
            if key in self.model_fields_set:
                raise ValueError(f"{key} is for conditions with a type only")
        if self.operator == "NOT" and len(self.conditions) != 1:
            raise ValueError(f"NOT needs exactly one condition, found {len(self.conditions)}")


class ModelRef(Strict):
    model: Name
    """A name in routing.modelCards."""
    lora_name: Name | None = None
    """An adapter of that model, which then answers."""
    weight: Annotated[float | None, Field(ge=0)] = None
    """Share of the sessions, for the algorithm static."""
    use_reasoning: bool | None = None
    """Whether the model is told to think."""
    reasoning_description: str | None = None
    """For people."""
    reasoning_effort: str | None = None
    """How hard, where the model's family can be told."""


PLUGINS = (
    "system_prompt",
    "request_params",
    "header_mutation",
    "fast_response",
    "response_cache",
    "rag",
    "memory",
    "context_compression",
    "tools",
    "tool_selection",
    "image_gen",
    "hallucination",
    "response_jailbreak",
    "router_replay",
)  # spec/plugins.md 6; older names are replaced before (`legacy`)


class PluginRef(Strict):
    type: Annotated[Name, NOT_RUN]
    """What is done around the call."""
    configuration: Opaque
    """Of that plugin."""


class IterationOutput(Strict):
    type: Literal["model"]
    """Of the output."""
    value: Name
    """The variable."""


class CandidateIteration(Strict):
    """`FOR variable IN source`: a compiled loop of the reference's policy language."""

    variable: Name
    """The name of one model in turn."""
    source: Literal["decision.candidates", "models"]
    """The decision's own candidates, or `models` below."""
    models: tuple[ModelRef, ...] = ()
    """More candidates."""
    outputs: tuple[IterationOutput, ...] = ()
    """Those of the models that become candidates."""

    @model_validator(mode="after")
    def _outputs_are_the_variable(self) -> Self:
        for output in self.outputs:
            if output.value != self.variable:
                raise ValueError(f"outputs may only name the variable {self.variable!r}")
        if self.source == "models" and not self.models:
            raise ValueError("the source 'models' needs at least one model")
        return self

    @property
    def adds(self) -> tuple[ModelRef, ...]:
        """Models that become candidates; a loop over the decision's own adds none."""
        return self.models if self.source == "models" and self.outputs else ()


_ALGORITHM_KEYS = {"type", "on_error"}


def _algorithm(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """At most one block, and it is the type's. Its content is the algorithm's own affair."""
    if value is None:
        return None
    kind = value.get("type")
    if not isinstance(kind, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", kind):
        raise ValueError("an algorithm needs a lower-case type")
    for block in value:
        if block not in _ALGORITHM_KEYS and block != kind:
            raise ValueError(
                f"the block {block!r} does not belong to the type; only {kind!r} may stand here"
            )
    return value


_MOST_ANNOTATIONS, _MOST_ANNOTATION_BYTES = 32, 4096  # spec/config.md 1.5


def _annotations(value: dict[str, str]) -> dict[str, str]:
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if len(value) > _MOST_ANNOTATIONS or size > _MOST_ANNOTATION_BYTES:
        raise ValueError(
            f"at most {_MOST_ANNOTATIONS} annotations and {_MOST_ANNOTATION_BYTES} bytes as JSON,"
            f" found {len(value)} and {size}"
        )
    return value


class Decision(Strict):
    """One policy: when `rules` hold, `modelRefs` may answer (spec/decisions.md 3.4)."""

    name: Name
    """In headers, logs and probes."""
    description: str | None = None
    """For people."""
    priority: int = 0
    """The higher one wins."""
    tier: Count = 0
    """The lower one goes first, whatever the priorities; 0: none, after all others."""
    rules: Node | None = None
    """When the decision holds; none: always."""
    modelRefs: tuple[ModelRef, ...] = ()
    """The candidates; none: the default model answers."""
    algorithm: Annotated[dict[str, Any] | None, AfterValidator(_algorithm)] = None
    """Which of several candidates answers; none: the first, or by weights."""
    plugins: tuple[PluginRef, ...] = ()
    """What else is done."""
    output_contract: Annotated[str | None, NOT_RUN] = None
    """What an answer has to look like, in words."""
    output_contract_spec: Annotated[OutputContract | None, NOT_RUN] = None
    """What an answer has to look like."""
    emits: Annotated[tuple[Emit, ...], NotRun(told_by_headers)] = ()
    """What is told of the answer in headers."""
    annotations: Annotated[dict[str, str], AfterValidator(_annotations)] = {}
    """Handed on as they are; at most 32, and 4096 bytes."""
    candidateIterations: tuple[CandidateIteration, ...] = ()
    """Loops of the policy language that add candidates."""
    adaptations: Annotated[Adaptations | None, NotRun(bypassed)] = None
    """How learning may change the choice."""

    @field_validator("rules", mode="before")
    @classmethod
    def _no_rules(cls, value: object) -> object:
        return None if value == {} else value

    @field_validator("emits", mode="after")
    @classmethod
    def _one_emit_a_kind(cls, value: tuple[Emit, ...]) -> tuple[Emit, ...]:
        if len({emit.kind for emit in value}) < len(value):
            raise ValueError("each kind may be emitted once")
        return value

    @model_validator(mode="after")
    def _something_to_loop_over(self) -> Self:
        sources = {loop.source for loop in self.candidateIterations}
        if "decision.candidates" in sources and not self.modelRefs:
            raise ValueError("a loop over decision.candidates needs modelRefs")
        return self

    @property
    def candidates(self) -> tuple[ModelRef, ...]:
        """`modelRefs`, then what loops add; each model and adapter once, as it is said first."""
        added = (ref for loop in self.candidateIterations for ref in loop.adds)
        found: dict[tuple[str, str | None], ModelRef] = {}
        for ref in (*self.modelRefs, *added):
            found.setdefault((ref.model, ref.lora_name), ref)
        return tuple(found.values()) if self.candidateIterations else self.modelRefs
