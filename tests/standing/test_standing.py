"""What is remembered of models, and what selectors are told."""

import pytest

from orchestrator.standing import Percentiles, Record, Standing, scope_of
from orchestrator.standing.ratings import MOST, Experience


def test_a_model_that_nobody_has_asked():
    assert Standing().records(["a"]) == {"a": Record()}


def test_requests_under_way():
    standing = Standing()
    standing.started("a")
    standing.started("a")
    standing.ended("a")
    standing.ended("b")  # never started: a policy's change may lose one

    found = standing.records(["a", "b"])

    assert (found["a"].inflight, found["b"].inflight) == (1, 0)


def test_latencies_at_the_percentiles_that_are_asked_for():
    standing = Standing()
    for seconds in (0.1, 0.2, 0.3, 0.4):
        standing.first_token("a", seconds)
        standing.per_token("a", seconds / 10)

    both = standing.records(["a"], asked=Percentiles(ttft=50, tpot=100))["a"]
    one = standing.records(["a"], asked=Percentiles(tpot=1))["a"]

    assert (both.ttft, both.tpot) == pytest.approx((0.2, 0.04))
    assert (one.ttft, one.tpot) == (None, pytest.approx(0.01))


def test_a_comparison_moves_both_by_what_was_unexpected():
    """1900 against 1500: ten to one, so that the favourite gains 32 / 11."""
    standing = Standing({"strong": 0.9})
    standing.judged("d", winner="strong", loser="other")
    found = standing.records(["strong", "other"], "d")

    assert found["strong"].rating == pytest.approx(1900 + 32 / 11)
    assert found["other"].rating == pytest.approx(1500 - 32 / 11)


@pytest.mark.parametrize(
    ("outcome", "points"), [({"winner": "a"}, 3.2), ({"loser": "a"}, -3.2)], ids=str
)
def test_an_outcome_of_one_model_alone(outcome, points):
    standing = Standing()
    standing.judged("d", **outcome)

    assert standing.records(["a"])["a"].rating == pytest.approx(1500 + points)


def test_means_of_outcomes():
    standing = Standing({"a": 0.5})
    standing.judged("d", winner="a", loser="b")
    standing.judged("d", winner="a")
    found = standing.records(["a", "b"])

    assert found["a"].quality == pytest.approx(0.81 * 0.5 + 0.19)
    assert found["a"].verified == pytest.approx(0.81 * 0.7 + 0.19)
    assert found["b"].quality == pytest.approx(0.9 * 0.8)


def test_a_decision_has_ratings_of_its_own():
    standing = Standing()
    standing.judged("law", winner="a")
    standing.judged("code", loser="a")

    def rating(decision):
        return standing.records(["a"], decision)["a"].rating

    assert rating("law") == pytest.approx(1503.2)
    assert rating("code") == pytest.approx(1500.0)  # it began at the 1503.2 of all decisions
    assert rating("never judged") == rating("") == pytest.approx(1500.0)


@pytest.mark.parametrize("names", [(None, None), ("a", "a")], ids=str)
def test_an_outcome_names_somebody(names):
    with pytest.raises(ValueError, match="names a winner"):
        Standing().judged("d", *names)


def test_a_new_policy_keeps_what_was_observed():
    standing = Standing({"a": 0.5})
    for _ in range(3):
        standing.first_token("a", 0.2)
    standing.know({"a": 0.7, "b": 0.2})
    found = standing.records(["a", "b"], asked=Percentiles(ttft=50))

    assert (found["a"].ttft, found["a"].rating, found["b"].rating) == (0.2, 1700, 1200)


def test_memory_is_bounded():
    experience = Experience()
    for number in range(MOST + 10):
        experience.judged(f"d{number}", f"m{number}", None)

    assert len(experience._ratings) == len(experience._means) == MOST
    assert experience.rating("m0", "d0") == 1500.0
    assert experience.rating(f"m{MOST + 9}", f"d{MOST + 9}") > 1500.0


@pytest.mark.parametrize(
    ("recipe", "name"), [("default", "d"), ("kitchen", "kitchen::d")], ids=["default", "other"]
)
def test_recipes_do_not_share(recipe, name):
    assert scope_of(recipe, "d") == name
