import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.selection import SELECTORS, Surroundings, Values
from orchestrator.standing import Record
from orchestrator.types import Candidate
from tests.selection.made import contender, selector

CODE = contender("coder", description="code", quality=0.6, price=1.0)
POEMS = contender("poet", description="poems", quality=0.9, price=3.0)
COSINES = {"code": 0.6, "poems": 0.2}
EVEN = {"coder": Record(quality=0.6), "poet": Record(quality=0.9)}


def test_components_by_hand():
    """Experience equal: .5 each; likeness 1 and 0; value .57 and .81: 0 and 1.

    The weights .3, .3, .2 of .8; then 1 + cost_weight * .5 for the cheaper one.
    """
    plan = selector("hybrid", [CODE, POEMS]).choose(Values(cosines=COSINES, standing=EVEN))

    code, poems = 0.375 * 0.5 + 0.375, 0.375 * 0.5 + 0.25
    assert plan.scores == pytest.approx((code * 1.1, poems))
    assert plan.chosen == Candidate("coder")
    # two of three agree (a tie is the first's); confidences .5, .6 and .7
    assert plan.confidence == pytest.approx((2 / 3 + (0.5 + 0.6 + 0.7) / 3) / 2)
    assert plan.reason == f"best of experience, likeness, value: {code * 1.1:.3f}"


def test_experience_moves_the_choice():
    only = {"experience_weight": 1, "router_dc_weight": 0, "automix_weight": 0, "cost_weight": 0}
    standing = {"coder": Record(rating=1400), "poet": Record(rating=1800)}
    chooser = selector("hybrid", [CODE, POEMS], {**only, "normalize_scores": False})

    plan = chooser.choose(Values(standing=standing))

    assert plan.scores == pytest.approx((1 / 11, 10 / 11))  # 400 points are ten to one
    assert plan.chosen == Candidate("poet")
    assert chooser.needs.texts == ()


def test_without_an_embedding_the_others_decide():
    plan = selector("hybrid", [CODE, POEMS], {"cost_weight": 0}).choose(
        Values(standing=EVEN, unread="inference_timeout")
    )

    assert (plan.chosen, plan.status) == (Candidate("poet"), "selected")
    assert plan.reason.endswith("no likeness (inference_timeout)")


def test_likeness_alone_without_an_embedding_falls_back():
    block = {"experience_weight": 0, "automix_weight": 0}

    plan = selector("hybrid", [CODE, POEMS], block).choose(Values(unread="model_untrusted"))

    assert (plan.chosen, plan.status) == (Candidate("coder"), "fallback")


def test_a_cost_weight_of_its_own_counts_twice():
    """As the reference has it: once as the request's weight, once as the algorithm's."""
    block = {"cost_weight": 0.4, "router_dc_weight": 0, "automix_weight": 0}

    plan = selector("hybrid", [CODE, POEMS], block).choose(Values(standing=EVEN))

    assert plan.scores == pytest.approx((0.5 * 1.16, 0.5))


def test_components_take_the_settings_of_the_policy():
    capable = [
        contender("a", description="code", capabilities=("tools",)),
        contender("b", description="poems"),
    ]
    plain = {"router_dc": {"use_capabilities": False}}

    assert selector("hybrid", capable).needs.texts[0] == "code. Capabilities: tools"
    assert selector("hybrid", capable, {}, plain).needs.texts[0] == "code"


@given(st.floats(0, 1), st.floats(0, 30), st.floats(0.001, 30), st.booleans(), st.booleans())
def test_a_cheaper_equal_never_loses(quality, price, more, normal, turned):
    rows = [
        contender("dear", description="code", quality=quality, price=price + more),
        contender("cheap", description="code", quality=quality, price=price),
    ]
    standing = {name: Record(quality=quality) for name in ("dear", "cheap")}
    chooser = selector(
        "hybrid", rows[::-1] if turned else rows, {"cost_weight": 0.2, "normalize_scores": normal}
    )

    plan = chooser.choose(Values(cosines={"code": 0.4}, standing=standing))

    assert plan.chosen == Candidate("cheap")


@pytest.mark.parametrize(
    "block",
    [
        {"experience_weight": 2},
        {"experience_weight": 0, "router_dc_weight": 0, "automix_weight": 0},
        {"elo_weight": 0.3},
    ],
    ids=str,
)
def test_settings_out_of_range(block):
    with pytest.raises(ValidationError):
        SELECTORS["hybrid"].Settings.model_validate(block)


def test_check_misses_descriptions():
    kind = SELECTORS["hybrid"]
    rows = [contender("a"), contender("b")]

    (finding,) = kind.check(rows, kind.Settings(), Surroundings())

    assert (finding.path, finding.severity) == (("hybrid",), "warning")
    assert list(kind.check(rows, kind.Settings(router_dc_weight=0), Surroundings())) == []
