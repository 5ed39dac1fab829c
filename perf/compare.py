"""Two results of one scenario, row by row: what became slower, and what became faster.

    python -m perf.compare OLD.json NEW.json [--tolerance 0.1] [--json]

A figure is `slower` or `faster` only where the ranges of both results' rounds do not overlap and it
changed by more than the tolerance. On another machine the figures themselves say nothing: a row is
judged by its ratios to the floor then, and by its figures otherwise. A row `fails` where more than
twice as many requests fail as before. Exit status: 1 where a row is slower or fails, 2 where the
files cannot be compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from perf.result import Range, Result, Row, Unreadable, read
from perf.tables import figure

QUIET = 0.2  # of the load average: beyond it, somebody else used the cores (perf/record.py)
FEW = 5  # rounds: ranges of fewer are apart by chance too often (perf/README.md)

Verdict = Literal["slower", "faster", "same", "not judged"]
Ranged = tuple[float, Range | None]


@dataclass(frozen=True, slots=True)
class Change:
    """Of one figure of a row."""

    old: float
    new: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """One row of both results."""

    input: str
    load: str
    arm: str
    verdict: Verdict | Literal["fails"]
    failures: tuple[int, int]
    figures: Mapping[str, Change]
    ratios: Mapping[str, Change]  # to the floor

    @property
    def worse(self) -> bool:
        return self.verdict in ("fails", "slower")


@dataclass(frozen=True, slots=True)
class Report:
    doubts: Sequence[str]
    rows: Sequence[Compared]
    only_old: Sequence[str]
    only_new: Sequence[str]


def compare(old: Result, new: Result, tolerance: float) -> Report:
    """`tolerance` is a share. Raises Unreadable where they are of two scenarios."""
    if old.about != new.about:
        raise Unreadable(f"two scenarios: {old.about} {new.about}")
    before, after = ({row.cell: row for row in result.rows} for result in (old, new))
    moved = old.machine != new.machine
    limit = tolerance if min(old.rounds, new.rounds) > 1 else None
    rows = [
        _compared(row, after[cell], limit, moved) for cell, row in before.items() if cell in after
    ]
    if not rows:
        raise Unreadable("no row is in both results")
    return Report(
        doubts(old, new),
        rows,
        [", ".join(cell) for cell in before if cell not in after],
        [", ".join(cell) for cell in after if cell not in before],
    )


def doubts(old: Result, new: Result) -> list[str]:
    """What makes the comparison doubtful."""
    told = []
    if old.machine != new.machine:
        told.append(f"other machines: {old.machine}; {new.machine}. Only ratios to the floor count")
    if old.rounds != new.rounds:
        told.append(f"other rounds: {old.rounds}, then {new.rounds}")
    if min(old.rounds, new.rounds) < 2:
        told.append("one round shows no noise: nothing is judged")
    elif min(old.rounds, new.rounds) < FEW:
        told.append(f"fewer than {FEW} rounds show little of the noise")
    for when, result in (("old", old), ("new", new)):
        if result.load_before > QUIET:
            told.append(f"the machine was not idle before the {when}: load {result.load_before:g}")
    for arm, by in old.asked_by.items():
        if new.asked_by.get(arm, by) != by:
            told.append(f"{arm} was asked by {by}, then by {new.asked_by[arm]}")
    return told


def _compared(old: Row, new: Row, tolerance: float | None, moved: bool) -> Compared:
    figures = _changes(_figures(old), _figures(new), None if moved else tolerance)
    ratios = _changes(_ratios(old), _ratios(new), tolerance)
    verdict = _whole(ratios if moved else figures)
    failures = (old.failures, new.failures)
    fails = failures[1] > 2 * failures[0]
    return Compared(*old.cell, "fails" if fails else verdict, failures, figures, ratios)


def _changes(
    old: Mapping[str, Ranged], new: Mapping[str, Ranged], tolerance: float | None
) -> dict[str, Change]:
    return {
        name: Change(old[name][0], new[name][0], _verdict(name, old[name], new[name], tolerance))
        for name in old
        if name in new
    }


def _figures(row: Row) -> dict[str, Ranged]:
    """Figure -> its median, and its range over the rounds where the result has it."""
    return {
        "requests/s": (row.rate, row.rate_range),
        "p50 ms": (row.p50, row.p50_range),
        "p95 ms": (row.p95, row.p95_range),
        "CPU ms": (row.cpu, row.cpu_range),
    }


def _ratios(row: Row) -> dict[str, Ranged]:
    return {name: (value, row.floor_range.get(name)) for name, value in row.floor.items()}


def _whole(changes: Mapping[str, Change]) -> Verdict:
    """`same` also where some figures were not judged."""
    found = {change.verdict for change in changes.values()}
    order: tuple[Verdict, ...] = ("slower", "faster", "same")
    return next((verdict for verdict in order if verdict in found), "not judged")


def _verdict(name: str, old: Ranged, new: Ranged, tolerance: float | None) -> Verdict:
    (before, ends_before), (after, ends_after) = old, new
    if ends_before is None or ends_after is None or tolerance is None:
        return "not judged"
    apart = ends_after[0] > ends_before[1] or ends_after[1] < ends_before[0]
    if not apart or not max(before, after) > min(before, after) * (1 + tolerance):
        return "same"
    more_is_better = name.endswith("requests/s")
    return "faster" if (after > before) is more_is_better else "slower"


def show(report: Report, console: Console) -> None:
    """As Markdown, which a review can quote."""
    for doubt in report.doubts:
        console.print(f"DOUBTFUL: {doubt}")
    figures = list(dict.fromkeys(name for row in report.rows for name in row.figures))
    ratios = list(dict.fromkeys(name for row in report.rows for name in row.ratios))
    columns = ["input", "load", "arm", *figures, *(f"{name}, × floor" for name in ratios), ""]
    table = Table(*columns, box=MARKDOWN)
    for row in report.rows:
        cells = [_cell(row.figures.get(name)) for name in figures]
        cells += [_cell(row.ratios.get(name)) for name in ratios]
        table.add_row(row.input, row.load, row.arm, *cells, row.verdict)
    console.print(table)
    for which, missing in (("old", report.only_old), ("new", report.only_new)):
        for cell in missing:
            console.print(f"only in the {which}: {cell}")
    for row in report.rows:
        if any(row.failures):
            old, new = row.failures
            console.print(f"failures: {row.input}, {row.load}, {row.arm}: {old} -> {new}")
    worse = sum(row.worse for row in report.rows)
    console.print(f"{len(report.rows)} rows, {worse} slower or failing")


def _cell(change: Change | None) -> str:
    if change is None:
        return ""
    told = f"{figure(change.old)} -> {figure(change.new)}"
    told += f" ({change.new / change.old:.2f})" if change.old else ""
    return f"{told} {change.verdict}" if change.verdict in ("slower", "faster") else told


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.1, help="a share; 0.1 where left out")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        report = compare(read(options.old), read(options.new), options.tolerance)
    except Unreadable as error:
        print(f"perf.compare: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        show(report, Console(width=1000, markup=False, highlight=False))
    return int(any(row.worse for row in report.rows))


if __name__ == "__main__":
    sys.exit(main())
