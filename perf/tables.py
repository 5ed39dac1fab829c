"""Results as Markdown tables and charts, put where the two READMEs have marks for them.

    python -m perf.tables perf/results/text.json [perf/results/pictures.json …]

README.md gets a table of each input that the scenario shows, with its chart (docs/charts), and
perf/README.md all rows. A file without marks for a scenario is left as it is. The marks are
`<!-- bench: text begin -->` and `<!-- bench: text end -->`, each on a line of its own.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from perf import scenario
from perf.charts import chart
from perf.result import Result, Row, Unreadable, names, read
from perf.scenario import Scenario

ROOT = Path(__file__).parent.parent
CHARTS = "docs/charts"

FEWEST = 3  # rounds
FIRST = "first byte, p50, ms"  # says something beside p50 where all arms have it

# Column -> its figure; a column that no row has a figure for is left out.
Columns = dict[str, Callable[[Row], float | None]]
COMPACT: Columns = {
    "requests/s": lambda row: row.rate,
    "× floor": lambda row: row.floor.get("requests/s"),
    "p50, ms": lambda row: row.p50,
    "p95, ms": lambda row: row.p95,
    FIRST: lambda row: row.first,
    "CPU a request, ms": lambda row: row.cpu,
    "mean batch": lambda row: row.batch,
}
FULL: Columns = COMPACT | {
    "p50, × floor": lambda row: row.floor.get("p50"),
    "CPU, × floor": lambda row: row.floor.get("CPU"),
}


def figure(value: float | None) -> str:
    """Three digits that count; from a hundred on whole. Empty where there is none."""
    if value is None:
        return ""
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def compact(rows: Sequence[Row]) -> str:
    """A row an arm, of one input; each cell has a figure for each load."""
    shown = _measured(COMPACT, rows)
    if any(row.first is None for row in rows):
        shown.pop(FIRST, None)
    lines = [["", *shown]]
    for arm in names(rows, "arm"):
        at = {row.load: row for row in rows if row.arm == arm}
        lines.append([arm])
        for of in shown.values():
            cells = [figure(of(at[load])) if load in at else "–" for load in names(rows, "load")]
            lines[-1].append(" / ".join(cells) if any(cells) else "")
    return _markdown(lines)


def full(rows: Sequence[Row]) -> str:
    """A row a cell, of one input."""
    shown = _measured(FULL, rows)
    lines = [["arm", "load", *shown, "requests/s, least to most", "failures"]]
    for row in rows:
        cells = [figure(of(row)) for of in shown.values()]
        ends = " to ".join(map(figure, row.rate_range))
        lines.append([row.arm, row.load, *cells, ends, str(row.failures)])
    return _markdown(lines)


def _measured(columns: Columns, rows: Sequence[Row]) -> Columns:
    return {name: of for name, of in columns.items() if any(of(row) is not None for row in rows)}


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    ruled = [lines[0], ["---", *["---:"] * (len(lines[0]) - 1)], *lines[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in ruled)


def circumstances(result: Result) -> str:
    return (
        f"{result.machine}, {result.date}, commit {result.commit}, medians of {result.rounds} "
        f"rounds, load average before {result.load_before:g}."
    )


def notes(of: Scenario, name: str, rows: Sequence[Row], result: Result) -> str:
    """What the figures of an input are of, and what went wrong."""
    loads = " / ".join(names(rows, "load"))
    told = [f"Each cell: {loads}." if len(names(rows, "load")) > 1 else f"At {loads}."]
    if floor := of.floor_of(name):
        told.append(f"Floor: {floor}.")
    arms = [arm.name for arm in of.arms_of(name)]
    told += [f"Without {arm}: {why}." for arm, why in result.absent.items() if arm in arms]
    told += [
        f"{row.failures} requests of {row.arm} failed at {row.load}{row.why and f': {row.why}'}."
        for row in rows
        if row.failures
    ]
    return " ".join(told)


def short_block(of: Scenario, name: str, result: Result) -> tuple[str, dict[str, str]]:
    """For README.md: its text, and charts by their path."""
    parts, drawn = [f"{of.about} {circumstances(result)}"], dict[str, str]()
    for shown in of.shown or tuple(of.inputs):
        rows = result.of(shown)
        if not rows:
            continue
        path = f"{CHARTS}/{_slug(name, shown, only=len(of.shown or of.inputs) == 1)}.svg"
        drawn[path] = chart(f"{name}: {shown}", rows)
        words = f"{name}, {shown}: requests a second and p50 against load, a line an arm"
        parts += [f"**{name}, {shown}.** {notes(of, shown, rows, result)}", compact(rows)]
        parts.append(f"![{words}]({path})")
    return "\n\n".join(parts), drawn


def full_block(of: Scenario, name: str, result: Result) -> str:
    """For perf/README.md: every input, folded."""
    parts = [f"{of.about} {circumstances(result)}"]
    for title in names(result.rows, "input"):
        rows = result.of(title)
        parts.append(f"<details><summary>{name}: {title}</summary>\n\n{full(rows)}\n\n</details>")
    return "\n\n".join(parts)


def _slug(name: str, shown: str, only: bool) -> str:
    return name if only else f"{name}-{re.sub(r'[^a-z0-9]+', '-', shown.lower())}"


def replaced(text: str, name: str, block: str) -> str | None:
    """The text with another block between the marks of a scenario; None: it has no such marks."""
    begin, end = f"<!-- bench: {name} begin -->\n", f"<!-- bench: {name} end -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    return f"{before}{begin}{block}\n{end}{after}" if found and closed else None


def rendered(path: Path, root: Path) -> dict[Path, str]:
    """File -> what it has to hold. Raises Unreadable."""
    result, name = read(path), path.stem
    if result.rounds < FEWEST:
        raise Unreadable(f"{path}: of {result.rounds} rounds; tables are made of {FEWEST} or more")
    if not (scenario.SCENARIOS / f"{name}.yaml").is_file():
        raise Unreadable(f"{path}: perf/scenarios has no {name}.yaml")
    of = scenario.read(name)
    block, charts = short_block(of, name, result)
    written = dict[Path, str]()
    for place, told in (("README.md", block), ("perf/README.md", full_block(of, name, result))):
        if text := replaced((root / place).read_text(encoding="utf-8"), name, told):
            written[root / place] = text
            if place == "README.md":
                written |= {root / where: svg for where, svg in charts.items()}
    if not written:
        raise Unreadable(f"{path}: neither README has the marks <!-- bench: {name} begin -->")
    return written


def publish(path: Path, root: Path) -> list[Path]:
    """What was written. Raises Unreadable."""
    written = rendered(path, root)
    for where, text in written.items():
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text, encoding="utf-8")
    return list(written)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("results", nargs="+", type=Path, help="written by perf.bench")
    for path in parser.parse_args(arguments).results:
        try:
            for where in publish(path, root):
                print(where)
        except Unreadable as error:
            print(f"perf.tables: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
