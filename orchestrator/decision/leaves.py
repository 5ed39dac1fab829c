"""What the facts say of each leaf: bits for all of them at once, a Weight for one.

A leaf also matches when one of its aliases does (a domain when the class that was detected is
one of its categories, a role binding when its role holds). A family without a reading was not
asked: its leaves do not match, which is not the same as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.config.decisions import Predicate
from orchestrator.decision.tree import Leaf, State, Weight
from orchestrator.types import Facts, Reading

Name = tuple[str, str]  # family, rule
Aliases = Mapping[Name, Sequence[Name]]
Masks = dict[str, dict[str, int]]  # family -> name -> bits of the leaves that it settles

SILENT = Reading()
NO_MATCH = Weight("no_match")
UNKNOWN = Weight("unknown")
PLAIN_MATCH = Weight("match", 1.0)  # true, without a recorded score


def satisfies(value: float, bounds: Predicate) -> bool:
    return (
        (bounds.gt is None or value > bounds.gt)
        and (bounds.gte is None or value >= bounds.gte)
        and (bounds.lt is None or value < bounds.lt)
        and (bounds.lte is None or value <= bounds.lte)
    )


class Leaves:
    """All distinct leaves of a policy, numbered."""

    def __init__(self, leaves: Iterable[Leaf], aliases: Aliases) -> None:
        self.bits: dict[Leaf, int] = {}
        for leaf in leaves:
            self.bits.setdefault(leaf, len(self.bits))
        self.everything = (1 << len(self.bits)) - 1
        self._targets = {leaf: _targets(leaf, aliases) for leaf in self.bits}
        self.families = frozenset(
            family for targets in self._targets.values() for family, _ in targets
        )
        self._matched: Masks = {}
        self._unknown: Masks = {}
        self._predicates = tuple((leaf, 1 << i) for leaf, i in self.bits.items() if leaf.predicate)
        self._on_error = {"match": 0, "no_match": 0}
        for leaf, i in self.bits.items():
            self._index(leaf, 1 << i)

    def _index(self, leaf: Leaf, bit: int) -> None:
        if leaf.on_error is not None:
            self._on_error[leaf.on_error] |= bit
        if leaf.predicate is not None:
            return
        for family, key in self._targets[leaf]:
            _add(self._matched, family, key, bit)
            for name in _behind(leaf, key):
                _add(self._unknown, family, name, bit)

    def read(self, facts: Facts) -> tuple[int, int]:
        """Bits of the leaves that are true, and of those that are unknown."""
        true = unknown = 0
        readings = facts.readings
        for family, names in self._matched.items():
            reading = readings.get(family)
            if reading is None:
                continue
            for name in reading.matches:
                true |= names.get(name, 0)
            for name in reading.unknown:
                unknown |= self._unknown[family].get(name, 0)
        for leaf, bit in self._predicates:
            state = self._compared(leaf, facts)
            if state == "match":
                true |= bit
            elif state == "unknown":
                unknown |= bit
        unknown &= ~true
        true |= unknown & self._on_error["match"]
        return true, unknown & ~(self._on_error["match"] | self._on_error["no_match"])

    def weight(self, leaf: Leaf, facts: Facts, true: int, unknown: int) -> Weight:
        """One leaf, given what `read` returned; predicates and rescued errors count as 1.0."""
        bit = 1 << self.bits[leaf]
        if not true & bit:
            return UNKNOWN if unknown & bit else NO_MATCH
        if leaf.predicate is not None:
            return PLAIN_MATCH
        recorded = [
            confidence
            for family, key in self._targets[leaf]
            if (confidence := _reading(facts, family).matches.get(key)) is not None
        ]
        return Weight("match", max(recorded), True) if recorded else PLAIN_MATCH

    def reason(self, leaf: Leaf, facts: Facts) -> str | None:
        """Why the leaf is unknown."""
        for family, key in self._targets[leaf]:
            unknown = _reading(facts, family).unknown
            for name in _behind(leaf, key):
                if name in unknown:
                    return unknown[name]
        return None

    def _compared(self, leaf: Leaf, facts: Facts) -> State:
        assert leaf.predicate is not None
        doubt = False
        for family, key in self._targets[leaf]:
            reading = _reading(facts, family)
            value = reading.values.get(key)
            if value is None:
                value = reading.matches.get(key)
            if value is None:
                doubt = doubt or any(name in reading.unknown for name in _behind(leaf, key))
            elif satisfies(value, leaf.predicate):
                return "match"
        return "unknown" if doubt else "no_match"


def _behind(leaf: Leaf, key: str) -> tuple[str, ...]:
    """Names whose failure makes the leaf unknown: a labelled leaf falls with its rule too."""
    return (key,) if leaf.label is None else (key, leaf.name)


def _targets(leaf: Leaf, aliases: Aliases) -> tuple[Name, ...]:
    return ((leaf.family, leaf.key), *aliases.get((leaf.family, leaf.name), ()))


def _reading(facts: Facts, family: str) -> Reading:
    return facts.readings.get(family, SILENT)


def _add(masks: Masks, family: str, name: str, bit: int) -> None:
    names = masks.setdefault(family, {})
    names[name] = names.get(name, 0) | bit
