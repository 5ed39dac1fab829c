"""What requests cost before and after, by the prices of providers.models[].pricing.

An estimate: tokens as the router counts them, answers as long as `max_tokens` allows or as assumed,
nothing read from a cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from orchestrator.changes.routing import Pair
from orchestrator.config.providers import Pricing
from orchestrator.config.schema import Config
from orchestrator.types import Candidate

MILLION = 1_000_000
CURRENCY = "USD"  # of a price that names none

Prices = Mapping[str, Pricing]  # model -> its price


@dataclass(frozen=True, slots=True)
class Money:
    """The sum over `requests` requests, in one currency."""

    old: float = 0.0
    new: float = 0.0
    requests: int = 0

    @property
    def percent(self) -> float | None:
        """The change in per cent of the old sum; None where that was nothing."""
        return 100.0 * (self.new - self.old) / self.old if self.old else None


@dataclass(frozen=True, slots=True)
class Costs:
    """By currency. `unpriced` counts requests by a model without a price, `mixed` those whose
    prices before and after are in different currencies; none of these is in a sum. `assumed` counts
    those in a sum that do not say how long their answer may be.
    """

    money: Mapping[str, Money] = field(default_factory=dict)
    unpriced: Mapping[str, int] = field(default_factory=dict)
    mixed: int = 0
    assumed: int = 0


def prices_of(config: Config) -> dict[str, Pricing]:
    return {one.name: one.pricing for one in config.providers.models if one.pricing is not None}


def costs(pairs: Iterable[Pair], old: Prices, new: Prices, completion_tokens: int) -> Costs:
    """`completion_tokens` are those of an answer whose request does not bound it."""
    money: dict[str, Money] = {}
    unpriced: Counter[str] = Counter()
    mixed = assumed = 0
    for pair in pairs:
        if pair.old.candidate is None or pair.new.candidate is None:
            continue
        before, after = _price(pair.old.candidate, old), _price(pair.new.candidate, new)
        if before is None or after is None:
            sides = ((pair.old.model, before), (pair.new.model, after))
            unpriced.update({model for model, price in sides if price is None})
            continue
        if currency(before) != currency(after):
            mixed += 1
            continue
        said = pair.completion_tokens
        assumed += said is None
        completion = completion_tokens if said is None else said
        sum_ = money.get(currency(before), Money())
        money[currency(before)] = Money(
            sum_.old + _cost(before, pair.prompt_tokens, completion),
            sum_.new + _cost(after, pair.prompt_tokens, completion),
            sum_.requests + 1,
        )
    return Costs(money, dict(unpriced), mixed, assumed)


def currency(price: Pricing) -> str:
    return (price.currency or CURRENCY).upper()


def _price(candidate: Candidate, prices: Prices) -> Pricing | None:
    """An adapter costs what its model costs, unless it has a price of its own."""
    return prices.get(candidate.name, prices.get(candidate.model))


def _cost(price: Pricing, prompt: int, completion: int) -> float:
    return (prompt * price.prompt_per_1m + completion * price.completion_per_1m) / MILLION
