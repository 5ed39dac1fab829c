import pytest

from orchestrator.changes.costs import Costs, Money, costs, prices_of
from orchestrator.changes.routing import Outcome, Pair
from orchestrator.config.providers import Pricing
from orchestrator.types import Candidate
from tests.changes.policies import compiled

OLD = {
    "small": Pricing(prompt_per_1m=1, completion_per_1m=2),
    "big": Pricing(prompt_per_1m=10, completion_per_1m=20),
    "euro": Pricing(currency="eur", prompt_per_1m=1),
    "base": Pricing(prompt_per_1m=4),
    "tuned": Pricing(prompt_per_1m=8),
}


def pair(old, new, prompt=1_000_000, completion=None):
    sides = [
        Outcome(decision="a", candidate=side if isinstance(side, Candidate) else Candidate(side))
        for side in (old, new)
    ]
    return Pair("r", "", *sides, prompt, completion)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        pytest.param([], Costs(), id="nothing"),
        pytest.param(
            [pair("free", "small"), pair("free", "free")],
            Costs(unpriced={"free": 2}),
            id="a model without a price is no model for nothing",
        ),
        pytest.param([pair("small", "euro")], Costs(mixed=1), id="currencies are not added"),
        pytest.param(
            [pair("small", "big", completion=500_000)],
            Costs({"USD": Money(2.0, 20.0, 1)}),
            id="as long as the request allows",
        ),
        pytest.param(
            [pair("big", "small"), pair("big", "big", completion=0)],
            Costs({"USD": Money(40.0, 13.0, 2)}, assumed=1),
            id="as long as assumed",
        ),
        pytest.param(
            [pair("euro", "euro")],
            Costs({"EUR": Money(1.0, 1.0, 1)}, assumed=1),
            id="another currency",
        ),
        pytest.param(
            [pair(Candidate("base", "adapter"), Candidate("base", "tuned"))],
            Costs({"USD": Money(4.0, 8.0, 1)}, assumed=1),
            id="an adapter costs what its model does, or its own",
        ),
    ],
)
def test_costs(pairs, expected):
    assert costs(pairs, OLD, OLD, completion_tokens=1_000_000) == expected


def test_a_price_that_changes_without_the_model():
    new = {"small": Pricing(prompt_per_1m=3)}

    found = costs([pair("small", "small", completion=0)], OLD, new, 100)

    assert found.money["USD"] == Money(1.0, 3.0, 1)
    assert found.money["USD"].percent == 200.0


def test_an_error_costs_nothing_and_compares_with_nothing():
    failed = Pair("r", "", Outcome(error="no_route"), Outcome(candidate=Candidate("small")), 10, 10)

    assert costs([failed], OLD, OLD, 100) == Costs()


def test_no_per_cent_of_nothing():
    assert Money(0.0, 3.0, 1).percent is None


def test_prices_of_a_policy():
    assert prices_of(compiled().config)["big"].completion_per_1m == 20.0
