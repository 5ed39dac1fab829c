import io

from rich.console import Console

from orchestrator.probes.coverage import Share, cover
from orchestrator.probes.coverage_report import as_json, show
from tests.probes.test_coverage import HIT, MISS, answer, entry, leaf

ASSERTED = {"signal": Share(1, 3), "plugin": Share(0, 0)}
FAST = answer("law", entry("law", leaf("[red]", "match")), recipe="fast")


def test_the_table_has_a_row_a_decision_and_then_what_is_missing():
    stream = io.StringIO()

    show(Console(file=stream, width=100), cover([HIT, MISS, FAST]), ASSERTED)

    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert lines[0] == "coverage by 3 requests"
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert rows == [
        ["law", "1", "75 % (3/4)", "100 % (2/2)"],
        ["fast: law", "1", "50 % (1/2)", "-"],
        ["all", "100 % (2/2)", "67 % (4/6)", "100 % (2/2)"],
    ]
    assert lines[-3:] == [
        "decisions[law].rules.conditions[1]: word:b never true",
        "decisions[fast.law].rules: word:[red] never false",
        "asserted: signals 33 % (1/3)",
    ]


def test_as_json():
    told = as_json(cover([HIT, MISS]), ASSERTED)

    assert told["totals"] == {
        "decisions": {"covered": 1, "of": 1, "percent": 100.0},
        "leaves": {"covered": 3, "of": 4, "percent": 75.0},
        "branches": {"covered": 2, "of": 2, "percent": 100.0},
    }
    assert told["asserted"]["signals"] == {"covered": 1, "of": 3, "percent": 33.3}
    (decision,) = told["decisions"]
    assert decision["leaves"][1] == {
        "path": "decisions[law].rules.conditions[1]",
        "what": "word:b",
        "true": 0,
        "false": 2,
        "unknown": 0,
        "missing": "never true",
    }
