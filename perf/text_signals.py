"""What six classifiers cost that share one pass, and what a routing decision costs around them.

    python -m perf.text_signals [process] [triton] [routing] [--rounds N] [--readme]

Without a name all three parts run, one after another. Each replaces its own part of
perf/results/text_signals.json; `--readme` puts the table into perf/README.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvloop

from perf import signals_process, signals_routing, signals_triton
from perf.embedding_load import MODEL
from perf.record import circumstances, save
from perf.served import REPOSITORY
from perf.signals_process import SIGNALS
from perf.signals_table import table, update_readme

OUTPUT = Path(__file__).parent / "results/text_signals.json"

# Part -> what measures it, and its rounds.
PARTS: dict[str, tuple[Callable[[int], dict[str, Any]], int]] = {
    "process": (signals_process.measure, 11),
    "triton": (lambda rounds: uvloop.run(signals_triton.measure(rounds)), 9),
    "routing": (lambda rounds: uvloop.run(signals_routing.measure(rounds)), 15),
}


def sizes() -> dict[str, Any]:
    """Ours from the files; of the reference what it publishes, on a machine of its own."""

    def megabytes(model: str, name: str) -> float:
        return round((REPOSITORY / model / "1" / name).stat().st_size / 1e6, 1)

    return {
        "encoder": "all-MiniLM-L6-v2, 22.7 M parameters, shared by all tasks",
        "encoder, MB": megabytes(MODEL, "model.onnx"),
        "branches of six tasks, MB": megabytes(SIGNALS, "branches.onnx"),
        "reference": "mmBERT-base, 307 M parameters, one a task",
        "reference, CPU trace of one request, s, as published": 1.3,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--rounds", type=int, help="of each part, in place of its own number")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--readme", action="store_true", help="write the table")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; the parts are: {', '.join(PARTS)}")
    save(options.output, "sizes", sizes())
    for part in options.parts or PARTS:
        measure, rounds = PARTS[part]
        rounds = options.rounds or rounds
        figures = circumstances(rounds) | measure(rounds)
        save(options.output, part, figures)
        print(f"{part}\n{json.dumps(figures, indent=2)}")
    parts = json.loads(options.output.read_text(encoding="utf-8"))
    print(table(parts))
    if options.readme:
        update_readme(parts)


if __name__ == "__main__":
    main()
