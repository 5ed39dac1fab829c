"""Who stands for a decision, and what the policy says of them."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.types import Candidate


@dataclass(frozen=True, slots=True)
class Contender:
    """A candidate, and what the policy says of its model (model card, pricing, modelRef)."""

    candidate: Candidate
    description: str = ""
    capabilities: tuple[str, ...] = ()
    quality: float | None = None  # 0 to 1
    price: float | None = None  # per million prompt tokens
    weight: float | None = None
