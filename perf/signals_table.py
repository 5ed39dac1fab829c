"""The figures of perf/results/text_signals.json that answer a question, as a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- text_signals: begin -->", "<!-- text_signals: end -->"

LENGTHS = ("64 tokens", "256 tokens")
SHORT = "16 tokens"

# Part of the file, lengths in it, key, what it says, and what is wanted.
ROWS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    (
        "process",
        LENGTHS,
        "six tasks / single forward",
        "CPU in process, six tasks and the embedding / a single forward",
        "≤ 1.4",
    ),
    (
        "process",
        LENGTHS,
        "six tasks / six models",
        "CPU in process, the same / six models",
        "≤ 0.25",
    ),
    (
        "process",
        (SHORT, "32 tokens"),
        "six tasks / single forward",
        "CPU in process, six tasks and the embedding / a single forward",
        "",
    ),
    (
        "triton",
        LENGTHS,
        "CPU, six tasks / single forward",
        "CPU in Triton, six tasks and the embedding / a single forward",
        "≤ 1.4",
    ),
    (
        "triton",
        LENGTHS,
        "CPU, six tasks / six models",
        "CPU in Triton, the same / six models",
        "≤ 0.25",
    ),
    ("triton", LENGTHS, "p50, six tasks / single forward", "p50 of a call in Triton, the same", ""),
    (
        "routing",
        (SHORT, *LENGTHS),
        "p50, greeted / one call",
        "p50, a routing decision / the one call",
        "≤ 1.2",
    ),
    (
        "routing",
        (SHORT, *LENGTHS),
        "CPU with Triton, greeted / one call",
        "CPU of router and Triton, a routing decision / the one call",
        "",
    ),
    (
        "routing",
        (SHORT, *LENGTHS),
        "p50, after a turn / one call",
        "p50, a decision that reads an earlier turn as well / the one call",
        "",
    ),
    ("quantized", (SHORT, *LENGTHS), "CPU, int8 / float32", "CPU, int8 / float32", "reported"),
    (
        "quantized",
        (),
        "same labels, all tasks",
        "share of equal labels, int8 and float32",
        "≥ 0.995",
    ),
)


def table(parts: Mapping[str, Any]) -> str:
    """Parts that were not measured have no rows."""
    lines = ["| | wanted | measured |", "|---|---|---|"]
    lines += [f"| {what} | {wanted} | {said} |" for what, wanted, said in _rows(parts)]
    return "\n".join(lines)


def _rows(parts: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for part, lengths, key, what, wanted in ROWS:
        if part in parts:
            for length in lengths or ("",):
                figures = parts[part][length] if length else parts[part]
                yield f"{what}, {length}" if length else what, wanted, str(figures[key])


def update_readme(parts: Mapping[str, Any], path: Path = README) -> None:
    """Replace what stands between the two marks."""
    text = path.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{table(parts)}\n{END}"
    replaced, found = re.subn(f"{BEGIN}.*?{END}", lambda _: block, text, flags=re.DOTALL)
    if found != 1:
        raise ValueError(f"{path}: not one table between {BEGIN} and {END}")
    path.write_text(replaced, encoding="utf-8")
