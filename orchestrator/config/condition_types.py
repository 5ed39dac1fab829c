"""Types of conditions that no family has, read off a document that may have other errors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from orchestrator.config.document import Path
from orchestrator.config.problems import Finding, nearest

NO_SECTIONS: Mapping[str, str] = MappingProxyType({})
OPERATORS = ("AND", "OR", "NOT")


def types(
    routing: Mapping[str, Any], path: Path, known: Collection[str], sections: Mapping[str, str]
) -> Iterator[Finding]:
    """Types of conditions that no family has, in a routing block as it is written: its trees may
    be refused for other reasons, and this is then often the cause.

    `sections`: section of `signals` -> the family whose rules stand there.
    """
    decisions = routing.get("decisions")
    for index, decision in enumerate(decisions if isinstance(decisions, list) else ()):
        rules = decision.get("rules") if isinstance(decision, dict) else None
        for at, kind in _written(rules, (*path, "decisions", index, "rules")):
            if kind not in known:
                yield unknown_type(kind, known, at, sections)


def _written(root: object, path: Path) -> Iterator[tuple[Path, str]]:
    """The types of the conditions of a tree of which nothing is certain, in reading order."""
    left: list[tuple[Path, object]] = [(path, root)]
    while left:
        here, node = left.pop()
        if not isinstance(node, dict):
            continue
        kind = node.get("type")
        if isinstance(kind, str | int | float) and kind != "":
            yield (*here, "type"), str(kind)
        below = node.get("conditions")
        inner = enumerate(below) if isinstance(below, list) else ()
        left += reversed([((*here, "conditions", at), one) for at, one in inner])


def unknown_type(
    kind: str, known: Collection[str], path: Path, sections: Mapping[str, str] = NO_SECTIONS
) -> Finding:
    """The hint is what was meant: an operator, the family of a section, the nearest, or all."""
    if kind.upper() in OPERATORS:
        hint: str | None = f"write operator: {kind.upper()}"
    elif kind in sections:
        hint = f"did you mean {sections[kind]!r}?"
    else:
        hint = nearest(kind, known) or f"known: {', '.join(sorted(known))}"
    return Finding(path, f"unknown condition type {kind!r}", hint)
