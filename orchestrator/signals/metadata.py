"""metadata -- what the client wrote into the body's `metadata` object (spec/signals.md 2.19)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, model_validator

from orchestrator.claims import Claim, Interval, Number, Reads
from orchestrator.config.fields import Strict
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.signals import SIGNALS, Heuristic, Rule
from orchestrator.types import Reading, Request


class Predicate(Strict):
    """Exactly one comparison. Values are texts and compared as they are."""

    equals: str | None = None
    """The value is this text."""
    among: Annotated[tuple[str, ...] | None, Field(alias="in", min_length=1)] = None
    """The value is one of these."""
    exists: bool | None = None
    """There is a value, or none."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if [self.equals, self.among, self.exists].count(None) != 2:
            raise ValueError("needs exactly one of equals, in, exists")
        return self

    @property
    def values(self) -> tuple[str, ...]:
        """The texts that it names."""
        return self.among or (() if self.equals is None else (self.equals,))

    def holds(self, value: str | None) -> bool:
        if self.exists is not None:
            return (value is not None) is self.exists
        if self.among is not None:
            return value in self.among
        return value == self.equals


class MetadataRule(Rule):
    """One row of routing.signals.metadata."""

    key: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]
    """In the body's `metadata`."""
    predicate: Predicate
    """Exactly one comparison."""

    def holds(self, metadata: Mapping[str, str]) -> bool:
        return self.predicate.holds(metadata.get(self.key))


@SIGNALS.register("metadata")
class Metadata(Heuristic[MetadataRule]):
    Rule = MetadataRule
    section = "metadata"
    results = "metadata"

    @classmethod
    def check(
        cls, rules: Sequence[MetadataRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """Names differ by more than case (spec/config.md 1.4)."""
        first: dict[str, str] = {}
        for index, rule in enumerate(rules):
            other = first.setdefault(rule.name.lower(), rule.name)
            if other != rule.name:
                message = f"rules {other!r} and {rule.name!r} differ in case only"
                yield Finding((index, "name"), message)

    @classmethod
    def claims(cls, rules: Sequence[MetadataRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """The values of a key as points on a line: none, any other, and those that rules name."""
        for key in dict.fromkeys(rule.key for rule in rules):
            own = [rule for rule in rules if rule.key == key]
            named = sorted({value for rule in own for value in rule.predicate.values})
            points: dict[str | None, int] = {None: -1} | {v: i for i, v in enumerate(named, 1)}
            line = Number(f"key:{key}", Interval(-1.0, len(named)), whole=True, always=True)
            for rule in own:
                held = [at for value, at in points.items() if rule.predicate.holds(value)]
                if rule.predicate.exists:
                    held += [0]
                yield _among(rule, line, held)

    @classmethod
    def numbers(
        cls, rules: Sequence[MetadataRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        one = Interval(1.0, 1.0)
        return {rule.name: Number(rule.name, one, of_match=True) for rule in rules}

    def evaluate(self, request: Request) -> Reading:
        return Reading(
            matches={rule.name: 1.0 for rule in self.rules if rule.holds(request.metadata)}
        )


def _among(rule: MetadataRule, line: Number, points: Sequence[int]) -> Reads:
    ends = range(min(points), max(points))
    gaps = tuple(Interval(at, at) for at in ends if at not in points)
    said = rule.predicate.model_dump_json(by_alias=True, exclude_none=True)
    why = f"{rule.name} is about the metadata key {rule.key}: {said}"
    span = Interval(min(points), max(points))
    return Reads(rule.name, line, span, gaps, exact=True, why=why)
