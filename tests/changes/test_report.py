import io

import pytest
from rich.console import Console

from orchestrator.changes.costs import Costs, Money
from orchestrator.changes.effects import effects
from orchestrator.changes.report import quoted, show_effects, show_structure
from orchestrator.changes.routing import Outcome, Pair, Routed, Unread
from orchestrator.changes.structure import Structure
from orchestrator.types import Candidate
from tests.changes.policies import between

SAME = Structure((), {}, {}, {})
SECRET = "my [bold]password[/bold] is hunter2"


def lines(show, *arguments):
    stream = io.StringIO()
    show(Console(file=stream, width=100, highlight=False), *arguments)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def side(decision, model, **rest):
    return Outcome("default", decision, Candidate(model), **rest)


MOVED = Pair("r1", SECRET, side("law [x]", "small"), side("", "big"), 10, 10)
UNSURE = Pair("r2", SECRET, side("law", "small"), side("x", "big", unknown=("pii:any (why)",)))
STAYED = Pair(
    "r3", SECRET, side("law", "small"), side("law", "small", fallback="knn", not_run="fusion")
)
COSTS = Costs({"USD": Money(2.0, 1.5, 2)}, {"free": 3}, 1, 2)


def told(*pairs, examples=10, prompts=False, costs=COSTS, unread=()):
    found = effects(Routed(pairs, unread), SAME, costs)
    return lines(show_effects, found, 512, examples, prompts)


def test_the_structure():
    found = between(("keywords: [now]", "keywords: [now, asap]"), ("name: hasty", "name: quickly"))

    assert lines(show_structure, found.changes) == [
        "policy: 2 changes",
        "  changed  signal keyword:urgent  touches hasty, quickly",
        "      keywords: + asap",
        "  renamed  decision quickly (was hasty, same content)",
    ]


def test_no_change_is_said():
    assert lines(show_structure, ()) == ["policy: 0 changes"]


def test_the_effects():
    shown = told(MOVED, STAYED, UNSURE, unread=(Unread("f:7", "not JSON"),))

    assert shown[0] == "traffic: 4 requests, 2 compared, 1 changed (50.0 %)"
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown if "│" in line]
    assert rows == [
        ["law [x]", "(no decision)", "1"],
        ["the same", "", "1"],
        ["small", "big", "1"],
        ["the same", "", "1"],
        ["off", "as sent", "1"],
        ["the same", "", "1"],
    ]
    assert shown[-9:] == [
        "cost: 2 -> 1.5 USD (-25.0 %), 2 requests",
        "      prompt tokens as the router estimates them, answers as long as max_tokens allows"
        " (2 without: 512 tokens assumed)",
        "no price, not in the cost: free (3)",
        "not in the cost, as the currency changes: 1 request",
        "  r1: law [x] -> (no decision); small -> big; reasoning off -> as sent",
        "1 request not compared, as signals are unknown: whatever these say, 0 stay the same and"
        " 1 change; 1 change if they do not match; pii:any (why) 1",
        "1 request not compared, not JSON: f:7",
        "knn could not be judged: for 1 request its first candidate counts",
        "fusion is not run: for 1 request its first candidate counts",
    ]


def test_no_prompt_is_shown_unless_asked():
    without, with_ = told(MOVED), told(MOVED, prompts=True)

    assert not any("hunter2" in line for line in without)
    assert any(f"{SECRET!r}" in line for line in with_)


def test_as_many_examples_as_asked():
    moved = [MOVED] * 5

    assert [line for line in told(*moved, examples=2) if line.startswith("  ")][-1] == (
        "  ... and 3 more changed"
    )
    assert not any("r1" in line for line in told(*moved, examples=0))


def test_nothing_changed_draws_no_table():
    assert told(STAYED, costs=Costs())[:1] == ["traffic: 1 request, 1 compared, 0 changed (0.0 %)"]
    assert not any("│" in line for line in told(STAYED))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n  b", "a b", id="one line"),
        pytest.param("x" * 60, "x" * 60, id="just so long"),
        pytest.param("x" * 61, "x" * 57 + "...", id="too long"),
    ],
)
def test_quoted(text, expected):
    assert quoted(text) == expected
