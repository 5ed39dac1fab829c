"""What a picture costs on its way to an embedding, stage by stage and in Triton.

    python -m perf.pictures [stages] [reduced] [triton] [--rounds N]

Without a name all three parts run. Each replaces its own part of
perf/results/picture_stages.json; then the tables of the whole file are printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import uvloop

from perf import picture_reduced, picture_stages, picture_triton
from perf.picture_files import ENCODER, PREPROCESS
from perf.record import circumstances, save

OUTPUT = Path(__file__).parent / "results/picture_stages.json"

# Part -> what measures it, and its rounds.
PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], int]] = {
    "stages": (picture_stages.measure, 21),
    "reduced": (picture_reduced.measure, picture_reduced.ROUNDS),
    "triton": (lambda rounds: uvloop.run(picture_triton.measure(rounds)), 9),
}
MIXED = ("pictures/s", "p50 ms", "CPU ms a picture", f"{PREPROCESS}, batch", f"{ENCODER}, batch")
GAINS = (
    "throughput, batching on / off",
    "p50, batching on / off",
    "server CPU a picture, off / on",
)


def tables(parts: Mapping[str, Any]) -> Iterator[str]:
    """Markdown, of the parts that are there."""
    if stages := _rows(parts.get("stages", {})):
        yield _table("in process", stages)
    if reduced := _rows(parts.get("reduced", {})):
        yield _table("jpeg decoded at reduced size", reduced)
    triton = parts.get("triton", {})
    if "alone" in triton:
        alone = {name: {"p50 ms": row["p50 ms"]} for name, row in triton["alone"].items()}
        yield _table("in Triton, one at a time", alone)
        many = {name: row for name, row in _rows(triton).items() if "arms" in row}
        arms = {
            f"{name}, {arm}": {key: found[key] for key in MIXED}
            for name, row in many.items()
            for arm, found in row["arms"].items()
        }
        yield _table("in Triton, mixed sizes", arms)
        gains = {name: {key: row[key] for key in GAINS} for name, row in many.items()}
        yield _table("what batching is worth", gains)


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
