"""The results for a person at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestrator.probes.runner import Result, Status
from orchestrator.probes.summary import Count, Summary

COLOURS: dict[Status, str] = {"pass": "green", "fail": "red", "needs learned signals": "yellow"}


def show(console: Console, name: str, results: Sequence[Result], summary: Summary) -> None:
    """Every probe that did not pass, with what differs; then the counts and the verdict."""
    for result in results:
        if result.status != "pass":
            _differences(console, result)
    console.print(_counts(name, summary))
    for shortfall in summary.shortfalls:
        console.print(Text(f"not accepted: {shortfall}", style="red"), soft_wrap=True)
    if summary.probes.missing:
        console.print(
            Text(
                f"{_probes(summary.probes.missing)} could not be judged: with the signals that this"
                " version does not run unknown, the outcome is open. No failure, and no pass.",
                style="yellow",
            ),
            soft_wrap=True,
        )
    if summary.accepted:
        console.print(Text("accepted", style="green"))


def _probes(number: int) -> str:
    return "1 probe" if number == 1 else f"{number} probes"


def _differences(console: Console, result: Result) -> None:
    status = result.status
    needs = f": {', '.join(result.needs)}" if result.needs else ""
    heading = Text(result.probe.id, style="bold").append(
        f"  {status}{needs}", style=COLOURS[status]
    )
    console.print(heading)
    console.print(Text(f"  {_quoted(result)}", style="dim"), no_wrap=True, overflow="ellipsis")
    if result.error:
        console.print(Text(f"  {result.error}", style="red"))
    for finding in result.comparison.findings if result.comparison else ():
        if finding.check == "signals" and result.signals:
            _signals(console, result)
            continue
        line = Text(f"  {finding.check}: ").append(f"- {finding.expected}", style="red")
        console.print(line.append(f"  + {finding.actual}", style="green"))
    for score in result.scores:
        console.print(Text(f"  {score}", style="dim"))


def _signals(console: Console, result: Result) -> None:
    """A line a signal that differs: what was wanted of it, what it is, and its numbers."""
    width = max(len(signal.name) for signal in result.signals)
    for signal in result.signals:
        line = Text(f"  signals: {signal.wrong:<10} ").append(
            f"{signal.name:<{width}}", style="red" if signal.wrong == "missing" else "magenta"
        )
        console.print(line.append(f"  {signal.said()}", style="green"), soft_wrap=True)


def _quoted(result: Result) -> str:
    variant = result.probe.variant
    request = variant.display_prompt or variant.query
    if request is None:
        request = f"{len(variant.messages)} messages"
    return " ".join(request.split())


def _counts(name: str, summary: Summary) -> Table:
    table = Table(title=name, title_justify="left")
    table.add_column("decision")
    for column in ("passed", "failed", "needs learned signals", "of"):
        table.add_column(column, justify="right")
    for decision, count in summary.decisions.items():
        table.add_row(decision, *_cells(count))
    table.add_section()
    table.add_row("all", *_cells(summary.probes), style="bold")
    return table


def _cells(count: Count) -> tuple[Text, ...]:
    return (
        Text(str(count.passed), style="green" if count.passed else "dim"),
        Text(str(count.failed), style="red" if count.failed else "dim"),
        Text(str(count.missing), style="yellow" if count.missing else "dim"),
        Text(str(count.total)),
    )
