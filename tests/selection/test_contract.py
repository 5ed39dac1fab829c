"""What holds for selection as a whole: who answers, and what the plan says of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.selection import LOOPERS, SELECTORS, Trained, Values, ran
from orchestrator.standing import Record
from orchestrator.types import Candidate, Plan
from tests.selection.made import contender, selector

ROOT = Path(__file__).parent.parent.parent
BLOCKS = {
    "latency_aware": {"tpot_percentile": 50, "ttft_percentile": 50},
    "prompt": {"model": "helper", "instructions": "choose well"},
}
UNTRAINED = [name for name in SELECTORS.names() if not issubclass(SELECTORS[name], Trained)]


def test_a_selector_is_no_looper():
    assert LOOPERS & set(SELECTORS.names()) == set()


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        pytest.param(Plan(Candidate("a"), "knn", "fallback"), "static", id="fell back"),
        pytest.param(Plan(Candidate("a"), "fusion", "execution_required"), "static", id="looper"),
        pytest.param(Plan(Candidate("a"), "knn"), "knn", id="chose"),
    ],
)
def test_the_algorithm_that_ran(plan, name):
    assert ran(plan) == name


def test_every_algorithm_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()

    assert [name for name in (*SELECTORS.names(), *LOOPERS) if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("name", UNTRAINED)
def test_who_knows_nothing_takes_the_first(name):
    chooser = selector(name, [contender("small"), contender("large")], BLOCKS.get(name))

    assert chooser.choose(Values()).chosen == Candidate("small")


facts = st.fixed_dictionaries(
    {
        "description": st.sampled_from(["", "code", "poems", "law"]),
        "quality": st.none() | st.floats(0, 1),
        "price": st.none() | st.floats(0, 50),
        "weight": st.none() | st.floats(0, 9),
    }
)
records = st.builds(
    Record,
    ttft=st.none() | st.floats(0, 9),
    tpot=st.none() | st.floats(0, 9),
    inflight=st.integers(0, 99),
    rating=st.floats(0, 3000),
    quality=st.floats(0, 1),
    verified=st.floats(0, 1),
)
crowds = st.lists(st.tuples(facts, records), min_size=2, max_size=5)
cosines = st.fixed_dictionaries(dict.fromkeys(["code", "poems", "law"], st.floats(-1, 1)))


@pytest.mark.parametrize("name", UNTRAINED)
@settings(max_examples=40, deadline=None)
@given(crowd=crowds, cosines=cosines, session=st.text(max_size=9))
def test_a_plan_is_whole(name, crowd, cosines, session):
    contenders = [contender(f"m{i}", **fact) for i, (fact, _) in enumerate(crowd)]
    standing = {f"m{i}": record for i, (_, record) in enumerate(crowd)}
    chooser = selector(name, contenders, BLOCKS.get(name))
    values = Values(session=session, cosines=cosines, standing=standing)

    plan = chooser.choose(values)

    assert plan == chooser.choose(values)
    assert plan.method == name
    assert plan.chosen in [one.candidate for one in contenders]
    assert plan.status in {"selected", "fallback"}
    assert plan.reason
    assert len(plan.scores) in (0, len(contenders))
    assert plan.confidence is None or 0 <= plan.confidence <= 1
    if plan.status == "fallback":
        assert plan.chosen == contenders[0].candidate


@pytest.mark.parametrize("name", UNTRAINED)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), crowd=crowds, cosines=cosines, session=st.text(max_size=9))
def test_the_order_decides_ties_only(name, data, crowd, cosines, session):
    """Turned round, the same model is chosen, or one whose score is the same."""
    made = [(contender(f"m{i}", **fact), record) for i, (fact, record) in enumerate(crowd)]
    turned = data.draw(st.permutations(made))

    def chosen(order):
        contenders = [one for one, _ in order]
        standing = {one.candidate.name: record for one, record in order}
        chooser = selector(name, contenders, BLOCKS.get(name))
        plan = chooser.choose(Values(session=session, cosines=cosines, standing=standing))
        names = [one.candidate.name for one in contenders]
        return plan, dict(zip(names, plan.scores, strict=False))

    (one, scores), (other, _) = chosen(made), chosen(turned)
    if one.status == "fallback" or not scores or "cheapest" in one.reason:
        return
    first, second = scores[one.chosen.name], scores[other.chosen.name]
    assert one.chosen == other.chosen or first == pytest.approx(second, abs=1e-9)
