"""Coverage for a person at a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestrator.probes.coverage import DEFAULT_RECIPE, Condition, Coverage, Covered, Share


def show(console: Console, coverage: Coverage, asserted: Mapping[str, Share] | None = None) -> None:
    """A row a decision; then every condition that was not seen both ways, by its YAML path."""
    console.print(_table(coverage))
    for decision in coverage.decisions:
        for condition in decision.conditions.values():
            if condition.missing and decision.path:
                console.print(_line(condition), soft_wrap=True)
    if asserted:
        parts = (f"{kind}s {_percent(share)}" for kind, share in asserted.items() if share.of)
        console.print(Text(f"asserted: {', '.join(parts)}"), soft_wrap=True)


def as_json(coverage: Coverage, asserted: Mapping[str, Share] | None = None) -> dict[str, Any]:
    return {
        "requests": coverage.answers,
        "totals": {name: _share(share) for name, share in coverage.totals.items()},
        "asserted": {f"{kind}s": _share(share) for kind, share in (asserted or {}).items()},
        "decisions": [_decision(one) for one in coverage.decisions],
    }


def _table(coverage: Coverage) -> Table:
    requests = "1 request" if coverage.answers == 1 else f"{coverage.answers} requests"
    table = Table(title=f"coverage by {requests}", title_justify="left")
    table.add_column("decision")
    for column in ("won", "leaves", "branches"):
        table.add_column(column, justify="right")
    for one in coverage.decisions:
        won = Text(str(one.won), style="green" if one.won else "red")
        table.add_row(Text(_name(one)), won, _cell(one.share(True)), _cell(one.share(False)))
    table.add_section()
    table.add_row("all", *map(_cell, coverage.totals.values()), style="bold")
    return table


def _name(one: Covered) -> str:
    return one.decision if one.recipe == DEFAULT_RECIPE else f"{one.recipe}: {one.decision}"


def _cell(share: Share) -> Text:
    if not share.of:
        return Text("-", style="dim")
    return Text(_percent(share), style="green" if share.seen == share.of else "red")


def _percent(share: Share) -> str:
    return f"{share.percent:.0f} % ({share.seen}/{share.of})"


def _line(condition: Condition) -> Text:
    unknown = f" (unknown {condition.unknown} times)" if condition.unknown else ""
    line = Text(f"{condition.path}: ", style="dim").append(condition.what, style="bold")
    return line.append(f" {condition.missing}{unknown}", style="red")


def _share(share: Share) -> dict[str, float | int]:
    return {"covered": share.seen, "of": share.of, "percent": round(share.percent, 1)}


def _decision(one: Covered) -> dict[str, Any]:
    conditions = tuple(one.conditions.values())
    return {
        "recipe": one.recipe,
        "decision": one.decision,
        "path": one.path,
        "won": one.won,
        "matched": one.matched,
        "leaves": [_condition(condition) for condition in conditions if condition.leaf],
        "branches": [_condition(condition) for condition in conditions if not condition.leaf],
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "path": condition.path,
        "what": condition.what,
        "true": condition.counts["match"],
        "false": condition.counts["no_match"],
        "unknown": condition.unknown,
        "missing": condition.missing,
    }
