"""What a policy says of the models that its decisions may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.config.decisions import Decision
from orchestrator.config.schema import Config
from orchestrator.contest.surroundings import SHARED
from orchestrator.selection import SELECTORS, Contender, Surroundings
from orchestrator.types import EMPTY, Candidate


@dataclass(frozen=True, slots=True)
class Entry:
    """One model: its card and its price. `adapters` are the descriptions of its LoRAs."""

    description: str = ""
    capabilities: tuple[str, ...] = ()
    quality: float | None = None
    price: float | None = None  # per million prompt tokens
    adapters: Mapping[str, str] = field(default_factory=lambda: EMPTY)


Catalogue = Mapping[str, Entry]


def catalogue(config: Config) -> Catalogue:
    """Every model that has a card or a provider."""
    prices = {
        model.name: model.pricing.prompt_per_1m
        for model in config.providers.models
        if model.pricing is not None
    }
    entries = {name: Entry(price=price) for name, price in prices.items()}
    for card in config.routing.modelCards:
        entries[card.name] = Entry(
            description=(card.description or "").strip(),
            capabilities=card.capabilities,
            quality=card.quality_score,
            price=prices.get(card.name),
            adapters={lora.name: (lora.description or "").strip() for lora in card.loras},
        )
    return entries


def qualities(entries: Catalogue) -> dict[str, float]:
    """Quality scores by model, and by adapter: a candidate is known by what answers."""
    found: dict[str, float] = {}
    for name, entry in entries.items():
        if entry.quality is not None:
            found |= dict.fromkeys((name, *entry.adapters), min(entry.quality, 1.0))
    return found


def surroundings(config: Config) -> Surroundings:
    blocks = config.global_.router.model_selection
    return Surroundings(
        defaults={
            name: block for name, block in iter(blocks) if name in SELECTORS or name == SHARED
        },
        folders=config.folders,
        served=frozenset(one.name for one in config.providers.models if one.backend_refs),
    )


def candidates_of(decision: Decision) -> tuple[Candidate, ...]:
    """The decision's candidates, in file order; reasoning that is not asked for is off."""
    return tuple(
        Candidate(ref.model, ref.lora_name, bool(ref.use_reasoning), ref.reasoning_effort)
        for ref in decision.candidates
    )


def contenders_of(decision: Decision, entries: Catalogue = EMPTY) -> tuple[Contender, ...]:
    """The candidates with what is known of them; an adapter has its own description, if any."""
    return tuple(
        _contender(candidate, entries.get(candidate.model, Entry()), ref.weight)
        for candidate, ref in zip(candidates_of(decision), decision.candidates, strict=True)
    )


def _contender(candidate: Candidate, entry: Entry, weight: float | None) -> Contender:
    quality = None if entry.quality is None else min(entry.quality, 1.0)
    own = entry.adapters.get(candidate.lora or "", "")
    return Contender(
        candidate, own or entry.description, entry.capabilities, quality, entry.price, weight
    )
