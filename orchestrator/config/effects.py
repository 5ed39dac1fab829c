"""What a decision has done beside choosing a model (spec/decisions.md 3.4)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from orchestrator.config.fields import Count, Opaque, Strict

TURN = 60.0  # seconds; spec/decisions.md 3.4


class Retention(Strict):
    """How long what was answered is of use; what is not said (None) is not the same as no."""

    drop: bool | None = None
    """Nothing of the answer is kept."""
    ttl_turns: Count | None = None
    """For how many turns of a minute."""
    keep_current_model: bool | None = None
    """The session stays with its model."""
    prefer_prefix_retention: bool | None = None
    """The server's cache of the prefix is worth keeping."""

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
    """What is told."""
    retention: Retention = Retention()
    """How long the answer is of use."""


def told_by_headers(emits: tuple[Emit, ...]) -> bool:
    """Without a cache nothing is kept anyway, and the rest is only told."""
    kept = [emit.retention for emit in emits]
    return not any(one.ttl_turns or one.keep_current_model for one in kept)


class OutputContract(Strict):
    type: Literal["choice", "structured_json", "reference_selection"]
    """The shape of the answer."""
    choice_set: Opaque = {}
    """The answers to choose among."""
    json_schema: Opaque = {}
    """Of the answer."""
    reference: Opaque = {}
    """What may be referred to."""
    render: Opaque = {}
    """How the answer is shown."""
    extract: Opaque = {}
    """How it is found in the text."""
    normalize: Opaque = {}
    """How it is brought to one form."""
    on_violation: Opaque = {}
    """What happens to an answer of another shape."""
    postprocess: tuple[Opaque, ...] = ()
    """Steps after that."""


Effect = Literal["apply", "observe", "bypass"]


class Adaptation(Strict):
    mode: Effect | None = None
    """Acted upon, watched only, or left out."""
    candidate_set: Literal["decision", "tier", "global"] | None = None
    """Who may be chosen."""


class Protection(Strict):
    mode: Effect | None = None
    """Acted upon, watched only, or left out."""
    stability_weight: float | None = None
    """How much staying counts."""
    switch_margin: float | None = None
    """By how much another model must be better."""


class Adaptations(Strict):
    mode: Effect | None = None
    """Acted upon, watched only, or left out; for both below."""
    adaptation: Adaptation | None = None
    """Choosing by experience."""
    protection: Protection | None = None
    """Staying with a model."""


def bypassed(adaptations: Adaptations) -> bool:
    """Learning is kept out, which needs no action while there is none."""
    return adaptations.mode == "bypass"
