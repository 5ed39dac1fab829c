"""The comparison for a person at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestrator.changes.change import Change, Kind
from orchestrator.changes.costs import Costs
from orchestrator.changes.effects import Effects, Matrix, decision, model, reasoning
from orchestrator.changes.routing import Pair

COLOURS: dict[Kind, str] = {
    "added": "green",
    "removed": "red",
    "changed": "yellow",
    "renamed": "cyan",
}
PROMPT = 60  # characters of a prompt that are shown
LISTED = 8  # names in one line, and requests that could not be read


def show_structure(console: Console, changes: Sequence[Change]) -> None:
    _say(console, f"policy: {_count(len(changes), 'change')}", "bold")
    for change in changes:
        recipe = "" if change.recipe in ("", "default") else f" of recipe {change.recipe}"
        line = Text(f"  {change.kind:<8} ", style=COLOURS[change.kind])
        line.append(f"{change.what} ").append(change.name, style="bold").append(recipe)
        if change.was:
            line.append(f" (was {change.was}, same content)")
        if change.touches:
            line.append(f"  touches {_list(change.touches)}", style="dim")
        console.print(line, soft_wrap=True)
        for field in change.fields:
            _say(console, f"      {field}", "")
        if change.note:
            _say(console, f"      {change.note}", "dim")


def show_effects(
    console: Console, found: Effects, completion_tokens: int, examples: int, prompts: bool
) -> None:
    """`completion_tokens` is the assumption that went into the costs; `prompts`: examples quote."""
    compared = len(found.compared)
    share = f" ({100 * len(found.changed) / compared:.1f} %)" if compared else ""
    _say(
        console,
        f"traffic: {_count(found.requests, 'request')}, {compared} compared,"
        f" {len(found.changed)} changed{share}",
        "bold",
    )
    _matrix(console, "decision", found.decisions)
    _matrix(console, "model", found.models)
    _matrix(console, "reasoning", found.reasoning)
    _costs(console, found.costs, completion_tokens)
    for pair in found.changed[:examples]:
        _example(console, pair, prompts)
    if len(found.changed) > examples > 0:
        _say(console, f"  ... and {len(found.changed) - examples} more changed", "dim")
    _remarks(console, found)


def quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PROMPT else line[: PROMPT - 3] + "..."


def _matrix(console: Console, what: str, matrix: Matrix) -> None:
    moved = {cell: number for cell, number in matrix.items() if cell[0] != cell[1]}
    if not moved:
        return
    table = Table()
    for column in (f"{what} before", "after"):
        table.add_column(column)
    table.add_column("requests", justify="right")
    for (old, new), number in moved.items():
        table.add_row(Text(old), Text(new), str(number))
    table.add_section()
    table.add_row("the same", "", str(sum(matrix.values()) - sum(moved.values())), style="dim")
    console.print(table)


def _costs(console: Console, costs: Costs, completion_tokens: int) -> None:
    for currency, sum_ in costs.money.items():
        percent = "" if sum_.percent is None else f" ({sum_.percent:+.1f} %)"
        priced = _count(sum_.requests, "request")
        _say(console, f"cost: {sum_.old:.6g} -> {sum_.new:.6g} {currency}{percent}, {priced}", "")
    if costs.money:
        how = "prompt tokens as the router estimates them, answers as long as max_tokens allows"
        if costs.assumed:
            how += f" ({costs.assumed} without: {completion_tokens} tokens assumed)"
        _say(console, f"      {how}", "dim")
    if costs.unpriced:
        named = (f"{name} ({number})" for name, number in sorted(costs.unpriced.items()))
        _say(console, f"no price, not in the cost: {_list(tuple(named))}", "yellow")
    if costs.mixed:
        said = f"not in the cost, as the currency changes: {_count(costs.mixed, 'request')}"
        _say(console, said, "yellow")


def _example(console: Console, pair: Pair, prompts: bool) -> None:
    steps = [
        f"{before} -> {after}" if before != after else before
        for before, after in (
            (decision(pair.old), decision(pair.new)),
            (model(pair.old), model(pair.new)),
        )
    ]
    if reasoning(pair.old) != reasoning(pair.new):
        steps.append(f"reasoning {reasoning(pair.old)} -> {reasoning(pair.new)}")
    line = Text(f"  {pair.id}: ", style="dim").append("; ".join(steps))
    if prompts:
        line.append(f"  {quoted(pair.text)!r}", style="dim")
    console.print(line, soft_wrap=True)


def _remarks(console: Console, found: Effects) -> None:
    if found.open:
        named = (f"{name} {number}" for name, number in found.unknown.items())
        _say(
            console,
            f"{_count(len(found.open), 'request')} not compared, as signals are unknown: whatever"
            f" these say, {found.open_same} stay the same and {found.open_surely} change;"
            f" {found.open_changed} change if they do not match; {_list(tuple(named))}",
            "yellow",
        )
    reasons = Counter(one.reason for one in found.unread)
    for reason, number in reasons.most_common():
        places = tuple(one.place or one.id for one in found.unread if one.reason == reason)
        said = f"{_count(number, 'request')} not compared, {reason}: {_list(places)}"
        _say(console, said, "yellow")
    for why, algorithms in (
        ("could not be judged", found.fallbacks),
        ("is not run", found.not_run),
    ):
        for method, number in algorithms.items():
            said = f"{method} {why}: for {_count(number, 'request')} its first candidate counts"
            _say(console, said, "yellow")


def _say(console: Console, text: str, style: str) -> None:
    console.print(Text(text, style=style), soft_wrap=True)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
