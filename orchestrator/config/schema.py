"""The v0.3 document as models (spec/config.md). Extension parameters stay opaque here:
rows of `routing.signals` and `routing.projections`, plugin configurations and algorithm blocks
are validated by the extension that owns them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Predicate(Strict):
    """Bounds on a number; at least one, at most one on each side."""

    gt: float | None = None
    gte: float | None = None
    lt: float | None = None
    lte: float | None = None


class Node(Strict):
    """A leaf (`type` set) or AND / OR / NOT over `conditions` (spec/decisions.md 3.2)."""

    type: str | None = None
    name: str | None = None
    predicate: Predicate | None = None
    label: str | None = None
    on_error: Literal["match", "no_match"] | None = None
    operator: Literal["AND", "OR", "NOT"] | None = None
    conditions: tuple[Node, ...] = ()


class ModelRef(Strict):
    model: Name
    lora_name: str | None = None
    weight: float | None = Field(default=None, ge=0)
    use_reasoning: bool | None = None
    reasoning_description: str | None = None
    reasoning_effort: str | None = None


class PluginRef(Strict):
    type: Name
    configuration: dict[str, Any]


class Decision(Strict):
    """One policy: when `rules` hold, `modelRefs` may answer (spec/decisions.md 3.4)."""

    name: Name
    description: str | None = None
    priority: int = 0
    tier: int = Field(default=0, ge=0)
    rules: Node | None = None  # None: always
    modelRefs: tuple[ModelRef, ...] = ()
    algorithm: dict[str, Any] | None = None  # {"type": name, name: {...}}
    plugins: tuple[PluginRef, ...] = ()
