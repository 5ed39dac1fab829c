"""What the facts say of every leaf of a policy: one bit each.

A leaf also matches when one of its aliases does (a domain when the class that was detected is
one of its categories, a role binding when its role holds). A family without a reading was not
asked: its leaves do not match, which is not the same as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.config.decisions import Predicate
from orchestrator.decision.scale import Evidence
from orchestrator.decision.tree import Leaf, State
from orchestrator.matching.bounds import satisfies
from orchestrator.types import Facts, Reading

Name = tuple[str, str]  # family, rule
Aliases = Mapping[Name, Sequence[Name]]
Masks = dict[str, dict[str, int]]  # family -> name in its reading -> the leaves that it settles

SILENT = Reading()


class Leaves:
    """All distinct leaves of a policy, numbered. `families` are those that must be read."""

    def __init__(self, leaves: Iterable[Leaf], aliases: Aliases) -> None:
        self.bits: dict[Leaf, int] = {}
        for leaf in leaves:
            self.bits.setdefault(leaf, len(self.bits))
        self._everything = (1 << len(self.bits)) - 1
        self._targets = {leaf: _targets(leaf, aliases) for leaf in self.bits}
        self.families = frozenset(
            family for targets in self._targets.values() for family, _ in targets
        )
        self._matched: Masks = {}
        self._unknown: Masks = {}
        self._predicates: list[tuple[Leaf, Predicate, int]] = []
        self._on_error = {"match": 0, "no_match": 0}
        for leaf, number in self.bits.items():
            self._index(leaf, 1 << number)

    def _index(self, leaf: Leaf, bit: int) -> None:
        if leaf.on_error is not None:
            self._on_error[leaf.on_error] |= bit
        if leaf.predicate is not None:
            self._predicates.append((leaf, leaf.predicate, bit))
            return
        for family, key in self._targets[leaf]:
            _add(self._matched, family, key, bit)
            for name in _behind(leaf, key):
                _add(self._unknown, family, name, bit)

    def read(self, facts: Facts) -> tuple[int, int]:
        """The leaves that are true, and those that are unknown."""
        true = unknown = 0
        for family, names in self._matched.items():
            reading = facts.readings.get(family)
            if reading is None:
                continue
            for name in reading.matches:
                true |= names.get(name, 0)
            for name in reading.unknown:
                unknown |= self._unknown[family].get(name, 0)
        for leaf, bounds, bit in self._predicates:
            state = self._compared(leaf, bounds, facts)
            true |= bit if state == "match" else 0
            unknown |= bit if state == "unknown" else 0
        unknown &= ~true
        true |= unknown & self._on_error["match"]
        return true, unknown & ~(self._on_error["match"] | self._on_error["no_match"])

    def literals(self, true: int, unknown: int) -> tuple[int, int]:
        """Held and missing literals: leaf i is bit i when true, bit i + number when false."""
        width = len(self.bits)
        held = true | ((self._everything & ~(true | unknown)) << width)
        return held, ((1 << 2 * width) - 1) ^ held

    def evidence(self, facts: Facts, true: int, held: int, missing: int) -> Evidence:
        """Recorded confidences by leaf; the highest where several names settle one leaf."""
        scores: dict[int, float] = {}
        recorded = 0
        for family, names in self._matched.items():
            reading = facts.readings.get(family, SILENT)
            for name, score in reading.matches.items():
                mask = names.get(name, 0)
                if score is None:
                    continue
                recorded |= mask
                while mask:
                    bit = mask & -mask
                    scores[bit] = max(score, scores.get(bit, score))
                    mask ^= bit
        return Evidence(true, held, missing, recorded, scores)

    def state(self, leaf: Leaf, true: int, unknown: int) -> State:
        bit = 1 << self.bits[leaf]
        if true & bit:
            return "match"
        return "unknown" if unknown & bit else "no_match"

    def reason(self, leaf: Leaf, facts: Facts) -> str | None:
        """Why the leaf is unknown."""
        for family, key in self._targets[leaf]:
            unknown = facts.readings.get(family, SILENT).unknown
            for name in _behind(leaf, key):
                if name in unknown:
                    return unknown[name]
        return None

    def _compared(self, leaf: Leaf, bounds: Predicate, facts: Facts) -> State:
        """A predicate reads the rule's value, or else its confidence; boolean matches are moot."""
        doubt = False
        for family, key in self._targets[leaf]:
            reading = facts.readings.get(family, SILENT)
            value = reading.values.get(key)
            if value is None:
                value = reading.matches.get(key)
            if value is None:
                doubt = doubt or any(name in reading.unknown for name in _behind(leaf, key))
            elif satisfies(value, bounds):
                return "match"
        return "unknown" if doubt else "no_match"


def _behind(leaf: Leaf, key: str) -> tuple[str, ...]:
    """Names whose failure makes the leaf unknown: a labelled leaf falls with its rule too."""
    return (key,) if leaf.label is None else (key, leaf.name)


def _targets(leaf: Leaf, aliases: Aliases) -> tuple[Name, ...]:
    return ((leaf.family, leaf.key), *aliases.get((leaf.family, leaf.name), ()))


def _add(masks: Masks, family: str, name: str, bit: int) -> None:
    names = masks.setdefault(family, {})
    names[name] = names.get(name, 0) | bit
