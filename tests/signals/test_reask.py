import pytest
from pydantic import ValidationError

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference.examples import MOST_BYTES
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.reask import Reask, ReaskRule
from orchestrator.types import Request
from tests.circle import circle, cos

VALID = {"name": "again", "threshold": 0.7, "lookback_turns": 2}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(
            VALID | {"threshold": 1.1},
            "threshold\n.*less than or equal to 1",
            id="threshold above 1",
        ),
        pytest.param(
            VALID | {"threshold": -0.1},
            "threshold\n.*greater than or equal to 0",
            id="threshold below 0",
        ),
        pytest.param(
            VALID | {"threshold": float("nan")}, "threshold\n", id="threshold that is no number"
        ),
        pytest.param(VALID | {"lookback_turns": -1}, "lookback_turns\n", id="negative lookback"),
        pytest.param(VALID | {"lookback_turns": 1.5}, "lookback_turns\n", id="half a turn"),
        pytest.param(VALID | {"turns": 2}, "turns\n.*not permitted", id="unknown key"),
    ],
)
def test_reask_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ReaskRule.model_validate(row)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(VALID, id="in full"),
        pytest.param({"name": "again"}, id="name alone"),
    ],
)
def test_reask_rule_is_accepted(row):
    assert ReaskRule.model_validate(row).name == row["name"]


@pytest.mark.parametrize(
    ("row", "threshold", "turns"),
    [
        pytest.param({"name": "again"}, 0.8, 1, id="absent"),
        pytest.param({"name": "again", "threshold": 0, "lookback_turns": 0}, 0.8, 1, id="zero"),
        pytest.param(VALID, 0.7, 2, id="given"),
    ],
)
def test_reask_defaults(row, threshold, turns):
    rule = ReaskRule.model_validate(row)

    assert (rule.threshold, rule.lookback_turns) == (threshold, turns)


# Turns on the unit circle: the cosine of two is that of the angle between them.
TURNS = {"why": 0, "why?": 10, "why??": 20, "how so": 40, "other": 90, " ": 0}


@pytest.fixture
def inference():
    return FakeInference({text: circle(angle) for text, angle in TURNS.items()})


def reask(inference, *rules):
    rows = [
        {"name": name, "lookback_turns": turns, "threshold": threshold}
        for name, turns, threshold in rules
    ]
    return Reask([ReaskRule.model_validate(row) for row in rows], Surroundings(inference))


def asked(*turns):
    """The last of `turns` is the current one."""
    return Request("auto", turns[-1], user_text=turns[-1], prior_user_texts=turns[:-1])


ONCE, TWICE = ("once", 1, 0.9), ("twice", 2, 0.9)


@pytest.mark.parametrize(
    ("rules", "turns", "matches", "values"),
    [
        pytest.param([ONCE], ["why"], {}, {"once": 0}, id="the first turn"),
        pytest.param([ONCE], ["other", "why"], {}, {"once": 0}, id="another question"),
        pytest.param([ONCE], ["why", "other", "why"], {}, {"once": 0}, id="not in a row"),
        pytest.param([TWICE], ["why", "why"], {}, {"twice": 1}, id="once where twice is asked"),
        pytest.param([TWICE], ["other", "why?", "why"], {}, {"twice": 1}, id="the second is not"),
        pytest.param([ONCE], ["why", " "], {}, {"once": 0}, id="no text now"),
        pytest.param([ONCE], [" ", "why"], {}, {"once": 0}, id="no text before"),
        pytest.param([("once", 1, 1.0)], ["why", "why?"], {}, {"once": 0}, id="almost the same"),
        pytest.param([ONCE], ["why?", "why"], {"once": cos(10)}, {"once": 1}, id="once"),
        pytest.param(
            [("once", 1, 1.0)], ["why", "why"], {"once": 1.0}, {"once": 1}, id="word for word"
        ),
        pytest.param(
            [ONCE], ["why?", " ", "", "why"], {"once": cos(10)}, {"once": 1}, id="empty between"
        ),
        pytest.param(
            [TWICE], ["why??", "why?", "why"], {"twice": cos(20)}, {"twice": 2}, id="lowest cosine"
        ),
        pytest.param(
            [ONCE, TWICE],
            ["why??", "why?", "why"],
            {"twice": cos(20)},
            {"once": 2, "twice": 2},
            id="only the furthest look back",
        ),
        pytest.param(
            [("a", 2, 0.9), ONCE, ("b", 2, 0.8)],
            ["why??", "why?", "why"],
            {"a": cos(20), "b": cos(20)},
            {"a": 2, "once": 2, "b": 2},
            id="several of the furthest",
        ),
        pytest.param(
            [ONCE, TWICE],
            ["how so", "why?", "why"],
            {"once": cos(10)},
            {"once": 1, "twice": 1},
            id="the nearer one where the further fails",
        ),
        pytest.param(
            [ONCE],
            ["why??", "why?", "why"],
            {"once": cos(10)},
            {"once": 1},
            id="no further than the rules look",
        ),
    ],
)
async def test_reask_matches(inference, rules, turns, matches, values):
    reading = await reask(inference, *rules).evaluate(asked(*turns))

    assert (reading.matches, reading.values, reading.unknown) == (matches, values, {})


async def test_reask_embeds_in_one_call_only_the_turns_that_count(inference):
    await reask(inference, ONCE, TWICE).evaluate(asked("other", "how so", "why??", "", "why"))

    assert inference.calls == [("text_embedding", ("why", "why??", "how so"))]


@pytest.mark.parametrize("turns", [("why",), ("why", ""), ("", "why")])
async def test_reask_asks_nobody_where_nothing_is_to_compare(inference, turns):
    await reask(inference, ONCE).evaluate(asked(*turns))

    assert inference.calls == []


async def test_reask_reads_the_user_and_not_what_stands_in_for_him(inference):
    request = Request("auto", "why", user_text="", prior_user_texts=("why",))

    assert (await reask(inference, ONCE).evaluate(request)).matches == {}


@pytest.mark.parametrize("size", [pytest.param(1, id="short"), pytest.param(2, id="long")])
async def test_reask_tells_that_an_earlier_turn_was_cut(size):
    class Alike(FakeInference):
        async def embed(self, model, texts):
            assert max(map(len, texts)) <= MOST_BYTES
            self.vectors |= dict.fromkeys(texts, [1.0, 0.0])
            return await super().embed(model, texts)

    earlier = "x" * (MOST_BYTES * size)

    reading = await reask(Alike(), ONCE).evaluate(asked(earlier, "why"))

    assert (list(reading.matches), reading.truncated) == (["once"], size == 2)


async def test_reask_failure_is_raised(inference):
    inference.failure = InferenceUnavailable("gone")

    with pytest.raises(InferenceUnavailable):
        await reask(inference, ONCE).evaluate(asked("why", "why"))


def test_reask_runs_and_says_what_its_values_must_reach():
    rule = ReaskRule.model_validate(VALID)

    assert (Reask.runs, Reask.results, Reask.limits([rule])) == (True, "reask", {"again": 2.0})
    assert Reask([rule], Surroundings(FakeInference())).not_run() == ()
