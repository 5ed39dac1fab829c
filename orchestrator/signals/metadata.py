"""metadata -- what the client wrote into the body's `metadata` object (spec/signals.md 2.19)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from orchestrator.config.fields import Strict
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.signals import SIGNALS, Heuristic, Rule
from orchestrator.types import Reading, Request


class Predicate(Strict):
    """Exactly one comparison. Values are texts and compared as they are."""

    equals: str | None = None
    among: Annotated[tuple[str, ...] | None, Field(alias="in", min_length=1)] = None
    exists: bool | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if [self.equals, self.among, self.exists].count(None) != 2:
            raise ValueError("needs exactly one of equals, in, exists")
        return self

    def holds(self, value: str | None) -> bool:
        if self.exists is not None:
            return (value is not None) is self.exists
        if self.among is not None:
            return value in self.among
        return value == self.equals


class MetadataRule(Rule):
    """One row of routing.signals.metadata."""

    key: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]
    predicate: Predicate

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

    def evaluate(self, request: Request) -> Reading:
        return Reading(
            matches={rule.name: 1.0 for rule in self.rules if rule.holds(request.metadata)}
        )
