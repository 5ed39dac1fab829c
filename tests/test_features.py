"""docs/features.md answers every row of the format's feature list, and what it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/features.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\| [A-E]\d", line)
]
NUMBERS = {"A": 8, "B": 39, "C": 15, "D": 5, "E": 15}
RUNS = {"done", "better", "in part"}


def test_every_row_is_answered_once() -> None:
    expected = [f"{group}{n}" for group, last in NUMBERS.items() for n in range(1, last + 1)]

    assert [row[0] for row in ROWS] == expected


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_runs_names_what_shows_it(row: list[str]) -> None:
    _, _, state, how, shown = row
    paths = re.findall(r"`(tests/[^`]+)`", shown)

    assert state in RUNS | {"not yet"}
    assert paths or state not in RUNS
    assert how or state in ("done", "not yet"), "in what it is better, or which part"
    assert [path for path in paths if not (ROOT / path).is_file()] == []
