"""partition -- of a group of rules of one family, exactly one holds (spec/projections.md 4.1).

Contenders are the members that matched; one without a recorded confidence counts 1.0. Several:
the highest stays, the first declared wins ties. None: the default holds, without a confidence and
marked as the default. A member that is unknown could still win, so there is then no default, and
the one that leads stays with its own confidence, beside the unknown; unless it has confidence 1.0
and no unknown member is declared before it, which settles the group. A family that was not
evaluated has no default either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from orchestrator.claims import AtMost, Claim, Some
from orchestrator.config.fields import Name
from orchestrator.config.problems import Finding
from orchestrator.projections import PROJECTIONS, Fact, Known, Projection, Row, revised
from orchestrator.types import Facts, Reading


class PartitionRule(Row):
    semantics: Literal["exclusive", "softmax_exclusive"]
    """The highest holds; softmax_exclusive makes confidences shares."""
    temperature: float | None = Field(default=None, ge=0)
    """For softmax_exclusive, above 0."""
    members: tuple[Name, ...] = Field(min_length=1)
    """Rules of one family."""
    default: Name
    """The member that holds where none matched."""

    @field_validator("members")
    @classmethod
    def _once(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(members)) < len(members):
            raise ValueError("each member may be named once")
        return members

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.default not in self.members:
            raise ValueError(f"the default {self.default!r} must be one of the members")
        if self.semantics == "softmax_exclusive" and not self.temperature:
            raise ValueError("softmax_exclusive needs a temperature above 0")
        return self


@PROJECTIONS.register("partition")
class Partition(Projection[PartitionRule]):
    Rule = PartitionRule
    section = "partitions"
    early = True

    def __init__(self, rule: PartitionRule, known: Known) -> None:
        super().__init__(rule, known)
        self._family = _homes(rule, known)[0]

    @classmethod
    def uses(cls, rule: PartitionRule, known: Known) -> frozenset[Fact]:
        return frozenset((home, member) for home in _homes(rule, known) for member in rule.members)

    @classmethod
    def check(cls, rule: PartitionRule, known: Known) -> Iterator[Finding]:
        homes = _homes(rule, known)
        if len(homes) != 1:
            kinds = " or ".join(sorted(known.contenders)) or "a family that keeps scores"
            several = f"; all of them are rules of {' and of '.join(homes)}" if homes else ""
            yield Finding(("members",), f"members must be rules of one family, {kinds}{several}")

    def claims(self) -> Iterator[tuple[str, Claim]]:
        """While a member is unknown, the group may stay undecided."""
        members = self.rule.members
        if len(members) > 1:
            why = f"the partition {self.rule.name} leaves one of its members"
            groups = tuple((member,) for member in members)
            yield self._family, AtMost(groups, why, lapses=frozenset(members))
            yield self._family, Some(members, why)

    @property
    def members(self) -> frozenset[Fact]:
        several = self.rule.members if len(self.rule.members) > 1 else ()
        return frozenset((self._family, member) for member in several)

    @property
    def inserts(self) -> frozenset[Fact]:
        return self.members & {(self._family, self.rule.default)}

    def apply(self, facts: Facts) -> Facts:
        reading = facts.readings.get(self._family)
        if reading is None or len(self.rule.members) < 2:
            return facts
        contenders = self._contenders(reading)
        if any(member in reading.unknown for member in self.rule.members):
            if not self._certain(reading, contenders):
                if len(contenders) < 2:
                    return facts
                return revised(facts, self._family, self._led(reading, contenders))
        if not contenders:
            return revised(facts, self._family, self._by_default(reading))
        if len(contenders) == 1:
            return facts
        return revised(facts, self._family, self._decided(reading, contenders))

    def explain(self, facts: Facts) -> dict[str, Any]:
        rule = self.rule
        reading = facts.readings.get(self._family, Reading())
        raw = self._recorded(reading)
        shares = self._shares(raw) if rule.semantics == "softmax_exclusive" else raw
        ranked = sorted(shares.values(), reverse=True)
        winner = next((member for member in rule.members if member in reading.matches), None)
        trace: dict[str, Any] = {
            "group_name": rule.name,
            "signal_type": self._family,
            "semantics": rule.semantics,
            "contenders": [
                {"name": member, "raw_score": score, "normalized_score": shares[member]}
                for member, score in raw.items()
            ],
            "winner": winner,
            "margin": ranked[0] - ranked[1] if len(ranked) > 1 else 0.0,
            "default_used": _default_key(rule) in reading.values,
            "unknown": {m: reading.unknown[m] for m in rule.members if m in reading.unknown},
        }
        if winner is not None:
            trace["winner_score"] = reading.matches[winner]
            trace["raw_winner_score"] = raw.get(winner)
        return trace

    def _contenders(self, reading: Reading) -> dict[str, float]:
        found = {m: reading.matches[m] for m in self.rule.members if m in reading.matches}
        return {member: 1.0 if score is None else score for member, score in found.items()}

    def _certain(self, reading: Reading, contenders: dict[str, float]) -> bool:
        for member in self.rule.members:
            if member in reading.unknown and member not in contenders:
                return False
            if contenders.get(member, 0.0) >= 1.0:
                return True
        return False

    def _by_default(self, reading: Reading) -> Reading:
        return replace(
            reading,
            matches={**reading.matches, self.rule.default: None},
            values={**reading.values, _default_key(self.rule): 1.0},
        )

    def _led(self, reading: Reading, contenders: dict[str, float]) -> Reading:
        """Without those that another contender beats, whatever an unknown member may be."""
        winner = _highest(contenders)
        kept = {m: c for m, c in reading.matches.items() if m not in contenders or m == winner}
        recorded = {_contender_key(self.rule, m): score for m, score in contenders.items()}
        return replace(reading, matches=kept, values={**reading.values, **recorded})

    def _decided(self, reading: Reading, contenders: dict[str, float]) -> Reading:
        led = self._led(reading, contenders)
        winner = _highest(contenders)
        matches = dict(led.matches)
        if self.rule.semantics == "softmax_exclusive":
            matches[winner] = self._shares(contenders)[winner]
        beaten = set(self.rule.members) - {winner}
        unknown = {rule: why for rule, why in led.unknown.items() if rule not in beaten}
        return replace(led, matches=matches, unknown=unknown)

    def _recorded(self, reading: Reading) -> dict[str, float]:
        """Confidences before the group was decided; what matched, where nothing was."""
        keys = {member: _contender_key(self.rule, member) for member in self.rule.members}
        before = {m: reading.values[key] for m, key in keys.items() if key in reading.values}
        used_default = _default_key(self.rule) in reading.values
        return before or ({} if used_default else self._contenders(reading))

    def _shares(self, contenders: dict[str, float]) -> dict[str, float]:
        if not contenders:
            return {}
        temperature = self.rule.temperature or 1.0
        top = max(contenders.values())  # subtracted, so that exp cannot overflow
        parts = {m: math.exp((score - top) / temperature) for m, score in contenders.items()}
        total = sum(parts.values())
        return {member: part / total for member, part in parts.items()}


def _homes(rule: PartitionRule, known: Known) -> list[str]:
    """Families that know every member."""
    members = set(rule.members)
    return [f for f in sorted(known.contenders) if members <= set(known.names.get(f, ()))]


def _highest(contenders: dict[str, float]) -> str:
    """The first of them wins ties."""
    return max(contenders, key=lambda member: contenders[member])


def _default_key(rule: PartitionRule) -> str:
    return f"default:{rule.name}"


def _contender_key(rule: PartitionRule, member: str) -> str:
    return f"contender:{rule.name}:{member}"
