from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.selection import Values
from orchestrator.types import Candidate, Plan
from tests.selection.made import contender, selector

SMALL, LARGE = Candidate("small"), Candidate("large")


@pytest.mark.parametrize(
    ("contenders", "chosen"),
    [
        pytest.param([contender("small", price=9), contender("large")], SMALL, id="not price"),
        pytest.param([contender("large"), contender("small")], LARGE, id="file order"),
        pytest.param(
            [contender("large", weight=0), contender("small", weight=0)], LARGE, id="no weight"
        ),
    ],
)
def test_first_candidate(contenders, chosen):
    static = selector("static", contenders)

    assert static.choose(Values()) == Plan(chosen, "static", "selected", "the first candidate")
    assert not static.needs.session


def test_a_split_gives_each_its_share():
    weights = {"a": 0.6, "b": 0.3, "c": 0.1, "never": 0}
    static = selector("static", [contender(name, weight=w) for name, w in weights.items()])

    counts = Counter(static.choose(Values(session=f"s{i}")).chosen.name for i in range(20_000))

    assert static.needs.session
    assert counts["never"] == 0
    for name, weight in weights.items():
        assert counts[name] / 20_000 == pytest.approx(weight, abs=0.015)


def test_a_session_stays_and_the_file_order_plays_no_part():
    rows = [contender("a", weight=1), contender("b", weight=1), contender("c")]
    one, other = selector("static", rows), selector("static", rows[::-1])

    for i in range(200):
        values = Values(session=f"s{i}")
        assert one.choose(values).chosen == one.choose(values).chosen == other.choose(values).chosen


@given(st.floats(0.1, 9), st.floats(0.1, 9), st.text(max_size=20))
def test_a_greater_weight_only_draws_sessions_to_it(weight, more, session):
    def chosen(a):
        rows = [contender("a", weight=a), contender("b", weight=2), contender("c", weight=1)]
        return selector("static", rows).choose(Values(session=session)).chosen.name

    before, after = chosen(weight), chosen(weight + more)
    assert after in (before, "a")


def test_one_model_twice_is_two_candidates():
    think = Candidate("a", use_reasoning=True)
    rows = [contender("a", weight=1), contender("a", weight=1)]
    rows[1] = type(rows[1])(think, weight=1)
    static = selector("static", rows)

    found = {static.choose(Values(session=f"s{i}")).chosen for i in range(50)}

    assert found == {Candidate("a"), think}
