"""static -- the first candidate in the file (spec/algorithms.md 5.1), or a split by weights.

Where a modelRef has a `weight`, requests are split among the candidates in proportion; one without
a weight counts 1, one of 0 gets nothing. The session decides, so that it stays with its model. In
the reference weights matter to one of the loopers alone, and static always takes the first.
"""

from __future__ import annotations

from orchestrator.ranking.split import pick
from orchestrator.selection import SELECTORS, Needs, Selector, Surroundings, Values
from orchestrator.types import Plan


@SELECTORS.register("static")
class Static(Selector[None]):
    def prepare(self, surroundings: Surroundings) -> None:
        given = any(one.weight is not None for one in self.contenders)
        weights = [1.0 if one.weight is None else one.weight for one in self.contenders]
        self._weights = weights if given and sum(weights) > 0 else []
        self._names = [one.candidate.name for one in self.contenders]
        self.needs = Needs(session=bool(self._weights))

    def choose(self, values: Values) -> Plan:
        if not self._weights:
            return self.picked(0, "the first candidate")
        position = pick(self._names, self._weights, values.session)
        total = sum(self._weights)
        shares = [weight / total for weight in self._weights]
        return self.picked(position, f"{shares[position]:.0%} of the sessions, by weight", shares)
