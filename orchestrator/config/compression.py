"""`global.model_catalog.modules.prompt_compression` (spec/config.md 1.6): signals read
less."""

from __future__ import annotations

from typing import Literal

from orchestrator.config.fields import Count, Name, Strict


class Compression(Strict):
    enabled: bool = False
    """Signals read a shorter text."""
    profile: Literal["default", "coding", "medical", "security", "multi_turn", "multi-turn"] = (
        "default"
    )
    """What is kept."""
    max_tokens: Count | None = None
    """Of it."""
    min_length: Count | None = None
    """From which on a text is made shorter."""
    skip_signals: tuple[Name, ...] | None = None
    """Families that read all of it; not given: the guards."""
    textrank_weight: float | None = None
    """Of sentences that others resemble."""
    position_weight: float | None = None
    """Of sentences at either end."""
    tfidf_weight: float | None = None
    """Of rare words."""
    novelty_weight: float | None = None
    """Of what was not said before."""
    position_depth: float | None = None
    """How far an end reaches."""
    preserve_first_n: Count | None = None
    """Sentences that always stay."""
    preserve_last_n: Count | None = None
    """Sentences that always stay."""
