"""complexity -- hard or easy, by contrast of two sets of examples (spec/signals.md 2.11)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Self

from pydantic import Field, field_validator, model_validator

from orchestrator.config.fields import Strict
from orchestrator.config.leaves import nodes, one_leaf
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Node
from orchestrator.signals import SIGNALS, Declared, Rule, RuleName

LEVELS = ("hard", "easy", "medium")


class Side(Strict):
    """The examples of one end of the scale."""

    candidates: tuple[RuleName, ...] = ()
    image_candidates: tuple[RuleName, ...] = ()  # texts that describe pictures

    @model_validator(mode="after")
    def some_example(self) -> Self:
        if not self.candidates and not self.image_candidates:
            raise ValueError("needs at least one of candidates, image_candidates")
        return self


class ComplexityRule(Rule):
    """One row of routing.signals.complexity; decisions refer to `rule:hard`, `rule:easy`, ...

    `threshold` bounds the margin score(hard) - score(easy) of two cosines: 0.05 to 0.2 in practice.
    """

    threshold: float = Field(default=0.0, ge=0, le=1)  # 0: never medium
    hard: Side
    easy: Side
    composer: Node | None = None  # where it does not hold, the rule gives no level

    @field_validator("name")
    @classmethod
    def plain_name(cls, value: str) -> str:
        if ":" in value:
            raise ValueError("must not contain ':', which separates the name from the level")
        return value


@SIGNALS.register("complexity")
class Complexity(Declared[ComplexityRule]):
    Rule = ComplexityRule
    section = "complexity"
    results = "complexity"
    composable = False

    @classmethod
    def leaves(cls, rules: Sequence[ComplexityRule]) -> dict[str, str]:
        return {f"{rule.name}:{level}": rule.name for rule in rules for level in LEVELS}

    @classmethod
    def check(
        cls, rules: Sequence[ComplexityRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """Leaves of composers name rules of other families, of those that may be composed."""
        families = [family for family in SIGNALS.names() if SIGNALS[family].composable]
        known = {family: dict.fromkeys(names.get(family, ())) for family in families}
        for index, rule in enumerate(rules):
            for at, leaf in nodes(rule.composer, (index, "composer")) if rule.composer else ():
                refused = leaf.type in families and leaf.type not in names
                if leaf.type is not None and not refused:
                    yield from one_leaf(leaf, leaf.type, at, known)
