"""complexity -- hard or easy, by contrast of two sets of examples (spec/signals.md 2.11).

The margin of a rule is the text's score with the bank of the hard examples minus that with the
easy ones: in [-2, 2], in practice in [-0.2, 0.2]. Above `threshold` the level is hard, below its
negative easy, else medium; there is always one, unless a `composer` does not hold. Confidence:
|margin|, at most 1. Value: `rule` is the margin, whatever the composer says.

Texts only: `image_candidates` are accepted and not used. A rule with a side that has no others is
named by `not_run` and never matches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Self

from pydantic import Field, field_validator, model_validator

from orchestrator.config.fields import Strict
from orchestrator.config.leaves import nodes, one_leaf
from orchestrator.config.modules import PrototypeScoring
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Node
from orchestrator.inference.examples import MODEL, Banks, Examples, compare
from orchestrator.matching.prototypes import DECIMALS
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

LEVELS = ("hard", "easy", "medium")
SIDES = ("hard", "easy")
WIDE = 0.2  # margins beyond it are rare (spec/signals.md 2.11)


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

    def level(self, margin: float) -> str:
        if margin > self.threshold:
            return "hard"
        return "easy" if margin < -self.threshold else "medium"


@SIGNALS.register("complexity")
class Complexity(Inferred[ComplexityRule]):
    Rule = ComplexityRule
    section = "complexity"
    results = "complexity"
    models = (MODEL,)
    settings = ("model_catalog", "modules", "complexity", "prototype_scoring")
    composable = False

    def __init__(self, rules: Sequence[ComplexityRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        scoring = PrototypeScoring.model_validate(surroundings.settings.get("complexity", {}))
        self._inference = surroundings.inference
        self._able = [r for r in rules if r.hard.candidates and r.easy.candidates]
        sides = (side.candidates for rule in self._able for side in (rule.hard, rule.easy))
        self._banks = Banks(
            surroundings.inference,
            "complexity examples",
            [Examples(candidates, scoring) for candidates in sides],
        )

    @classmethod
    def leaves(cls, rules: Sequence[ComplexityRule]) -> dict[str, str]:
        return {f"{rule.name}:{level}": rule.name for rule in rules for level in LEVELS}

    @classmethod
    def limits(cls, rules: Sequence[ComplexityRule]) -> dict[str, float]:
        return {}  # every margin is some level

    @classmethod
    def composers(cls, rules: Sequence[ComplexityRule]) -> dict[str, Node]:
        return {rule.name: rule.composer for rule in rules if rule.composer is not None}

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
            yield from _doubts(rule, index)

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule not in self._able)

    async def prepare(self) -> None:
        await self._banks.start()

    async def evaluate(self, request: Request) -> Reading:
        if not self._able or not request.text.strip():
            return Reading()
        found = await compare(self._inference, request.text, [self._banks])
        (scores,) = found.scores
        matches: dict[str, float | None] = {}
        values: dict[str, float] = {}
        for rule, hard, easy in zip(self._able, scores[::2], scores[1::2], strict=True):
            margin = round(hard.score - easy.score, DECIMALS)
            values[rule.name] = margin
            matches[f"{rule.name}:{rule.level(margin)}"] = min(abs(margin), 1.0)
        return Reading(matches, values, truncated=found.truncated)


def _doubts(rule: ComplexityRule, index: int) -> Iterator[Finding]:
    """What a valid rule says in vain."""
    if rule.threshold > WIDE:
        yield Finding(
            (index, "threshold"),
            f"the difference of two cosines rarely exceeds {WIDE:g}: with a threshold of"
            f" {rule.threshold:g} nearly every text is {rule.name}:medium",
            "0.05 to 0.2 is usual; compare margins with `tsr explain`",
            "warning",
        )
    for side in SIDES:
        examples: Side = getattr(rule, side)
        if examples.image_candidates:
            rest = "" if examples.candidates else f"; without candidates {rule.name!r} is not run"
            said = f"accepted, not used by this version{rest}"
            yield Finding((index, side, "image_candidates"), said, None, "warning")
