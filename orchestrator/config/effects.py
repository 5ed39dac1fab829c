"""What a decision has done beside choosing a model (spec/decisions.md 3.4)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from orchestrator.config.fields import Count, Opaque, Strict

TURN = 60.0  # seconds; spec/decisions.md 3.4


class Retention(Strict):
    """How long what was answered is of use; what is not said (None) is not the same as no."""

    drop: bool | None = None
    ttl_turns: Count | None = None
    keep_current_model: bool | None = None
    prefer_prefix_retention: bool | None = None

    @model_validator(mode="after")
    def _drop_or_keep(self) -> Self:
        if self.drop and self.ttl_turns:
            raise ValueError("drop: true and ttl_turns exclude each other")
        return self

    @property
    def ttl_seconds(self) -> float | None:
        return None if self.ttl_turns is None else self.ttl_turns * TURN


class Emit(Strict):
    kind: Literal["retention"]
    retention: Retention = Retention()


def told_by_headers(emits: tuple[Emit, ...]) -> bool:
    """Without a cache nothing is kept anyway, and the rest is only told."""
    kept = [emit.retention for emit in emits]
    return not any(one.ttl_turns or one.keep_current_model for one in kept)


class OutputContract(Strict):
    type: Literal["choice", "structured_json", "reference_selection"]
    choice_set: Opaque = {}
    json_schema: Opaque = {}
    reference: Opaque = {}
    render: Opaque = {}
    extract: Opaque = {}
    normalize: Opaque = {}
    on_violation: Opaque = {}
    postprocess: tuple[Opaque, ...] = ()


Effect = Literal["apply", "observe", "bypass"]


class Adaptation(Strict):
    mode: Effect | None = None
    candidate_set: Literal["decision", "tier", "global"] | None = None


class Protection(Strict):
    mode: Effect | None = None
    stability_weight: float | None = None
    switch_margin: float | None = None


class Adaptations(Strict):
    mode: Effect | None = None
    adaptation: Adaptation | None = None
    protection: Protection | None = None


def bypassed(adaptations: Adaptations) -> bool:
    """Learning is kept out, which needs no action while there is none."""
    return adaptations.mode == "bypass"
