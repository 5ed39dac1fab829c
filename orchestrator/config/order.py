"""Warnings about the order of decisions (spec/decisions.md 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.config.document import Path
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Decision, profiles, strategy

Numbered = list[tuple[int, Decision]]


def order(config: Config) -> Iterator[Finding]:
    """Warnings about decisions whose order is left to chance or that can never win."""
    for profile in profiles(config):
        decisions = list(enumerate(profile.routing.decisions))
        path: Path = (*profile.path, "decisions")
        tiered = any(decision.tier for _, decision in decisions)
        by_confidence = not tiered and strategy(config, profile.routing) == "confidence"
        if tiered:
            yield from _tier_mix(decisions, path)
        if not by_confidence:
            yield from _ties(decisions, path)
            yield from _shadows(decisions, path, tiered)


def _warning(path: Path, message: str, hint: str) -> Finding:
    return Finding(path, message, hint, "warning")


def _tier_mix(decisions: Numbered, path: Path) -> Iterator[Finding]:
    untiered = [(index, decision) for index, decision in decisions if not decision.tier]
    if untiered:
        index, decision = untiered[0]
        yield _warning(
            (*path, index),
            f"{len(untiered)} decision(s) have no tier while others have, first {decision.name!r}:"
            " they come after those",
            "give every decision a tier of 1 or more",
        )


def _ties(decisions: Numbered, path: Path) -> Iterator[Finding]:
    groups: dict[tuple[int, int], Numbered] = {}
    for index, decision in decisions:
        groups.setdefault((decision.tier, decision.priority), []).append((index, decision))
    for (_, priority), group in groups.items():
        if len(group) > 1:
            names = ", ".join(repr(decision.name) for _, decision in group[:3])
            more = f" and {len(group) - 3} more" if len(group) > 3 else ""
            index = group[1][0]
            yield _warning(
                (*path, index, "priority"),
                f"{names}{more} have the same priority {priority}: confidence, then the name,"
                " decides between them",
                "give each its own priority",
            )


def _rank(decision: Decision) -> tuple[bool, int]:
    """As the engine sorts: lower tiers first, and decisions without one after all of them."""
    return decision.tier == 0, decision.tier


def always(decision: Decision) -> bool:
    rules = decision.rules
    return rules is None or (rules.operator == "AND" and not rules.conditions)


def _shadows(decisions: Numbered, path: Path, tiered: bool) -> Iterator[Finding]:
    for index, decision in decisions:
        if not always(decision):
            continue
        after = [
            other
            for _, other in decisions
            if (_rank(other) > _rank(decision) if tiered else other.priority < decision.priority)
        ]
        if after:
            yield _warning(
                (*path, index),
                f"{decision.name!r} always matches, so {len(after)} decision(s) after it never"
                f" win, first {after[0].name!r}",
                "give it the lowest priority (and the highest tier, or none)",
            )
