"""What a picture costs on its way to an embedding, stage by stage.

    python -m perf.pictures [stages] [reduced] [--rounds N]

Without a name both parts run. Each replaces its own part of perf/results/picture_stages.json; then
the tables of the whole file are printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from perf import picture_reduced, picture_stages
from perf.record import circumstances, save

OUTPUT = Path(__file__).parent / "results/picture_stages.json"

# Part -> what measures it, and its rounds.
PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], int]] = {
    "stages": (picture_stages.measure, 21),
    "reduced": (picture_reduced.measure, picture_reduced.ROUNDS),
}


def tables(parts: Mapping[str, Any]) -> Iterator[str]:
    """Markdown, of the parts that are there."""
    if stages := _rows(parts.get("stages", {})):
        yield _table("in process", stages)
    if reduced := _rows(parts.get("reduced", {})):
        yield _table("jpeg decoded at reduced size", reduced)


def _rows(part: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Without the circumstances."""
    return {name: row for name, row in part.items() if isinstance(row, dict)}


def _table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    columns = list(next(iter(rows.values())))
    lines = [[title, *columns], ["---"] * (1 + len(columns))]
    lines += [[name, *(str(row[column]) for column in columns)] for name, row in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, help="of each part, in place of its own number")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; the parts are: {', '.join(PARTS)}")
    for part in options.parts or PARTS:
        measure, rounds = PARTS[part]
        rounds = options.rounds or rounds
        save(options.output, part, circumstances(rounds) | measure(rounds))
    print("\n\n".join(tables(json.loads(options.output.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()
