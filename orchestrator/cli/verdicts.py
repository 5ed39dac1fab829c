"""What the analysis says of decisions, as tables for people and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from orchestrator.analysis.explanation import Explanation
from orchestrator.analysis.verdict import Report, Verdict
from orchestrator.config.document import dotted

COLOURS = {
    "reachable": "green",
    "unreachable": "red",
    "shadowed": "red",
    "not_run": "yellow",
    "not_analysed": "yellow",
}


def as_data(reports: Sequence[Report]) -> list[dict[str, Any]]:
    return [
        {
            "recipe": report.recipe,
            "default_model": report.default,
            "covering": report.covering,
            "decisions": [_verdict(verdict) for verdict in report.verdicts],
        }
        for report in reports
    ]


def explained(one: Explanation) -> dict[str, Any]:
    return {**asdict(one), "verdict": _verdict(one.verdict)}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    told = asdict(verdict)
    return {**told, "path": dotted(verdict.path)}


def show_reports(console: Console, reports: Sequence[Report]) -> None:
    for report in reports:
        title = f"{report.recipe}: the default model is used {report.default}"
        table = Table("decision", "verdict", "witness", title=escape(title), title_justify="left")
        for verdict in report.verdicts:
            colour = COLOURS[verdict.kind]
            kind = f"[{colour}]{verdict.kind}[/{colour}]"
            table.add_row(escape(verdict.decision), kind, escape(_witness(verdict)))
        console.print(table)


def show_explanations(console: Console, told: Sequence[Explanation]) -> None:
    for one in told:
        _show_explanation(console, one)


def _show_explanation(console: Console, one: Explanation) -> None:
    verdict = one.verdict
    colour = COLOURS[verdict.kind]
    name = f"[bold]{escape(verdict.decision)}[/bold] of {escape(one.recipe)}"
    console.print(f"{name}: [{colour}]{verdict.kind}[/{colour}]", highlight=False)
    table = Table("way", "must hold", "must not hold")
    for number, way in enumerate(one.ways, 1):
        fails = escape("\n".join(way.fails))
        table.add_row(str(number), escape("\n".join(way.holds)) or "(nothing)", fails)
    console.print(table if one.ways else "no way to match")
    if one.more:
        console.print(f"[dim]and other ways; these are the first {len(one.ways)}[/dim]")
    witness = escape(_witness(verdict))
    heads = {"reachable": "wins where", "not_analysed": "not analysed"}
    rows = {
        heads.get(verdict.kind, "because"): witness,
        "before it": escape(", ".join(one.before)) or "(nothing that can match with it)",
        "same rank": escape(", ".join(verdict.ties)),
        "fails open": escape(", ".join(verdict.fails_open)),
        "models": f"{escape(', '.join(one.models)) or '(the default model)'} ({one.algorithm})",
        "incomplete": escape(one.left),
    }
    for head, text in rows.items():
        if text:
            console.print(f"[dim]{head:<12}[/dim] {text}", highlight=False)


def _witness(verdict: Verdict) -> str:
    """One line."""
    unless = f"; unless {' or '.join(verdict.unless_unknown)} is unknown"
    match verdict.kind:
        case "reachable":
            told = [*verdict.holds, *(f"NOT {name}" for name in verdict.fails)]
            return " and ".join(told) or "always"
        case "shadowed":
            said = f"{' or '.join(verdict.by)} goes before it"
        case "not_analysed":
            said = "; ".join(verdict.because)
        case _:
            said = f"{' and '.join(verdict.conflict)}: {'; '.join(verdict.because)}"
    return said + unless if verdict.unless_unknown else said
