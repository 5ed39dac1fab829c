"""complexity -- hard or easy, by contrast of two sets of examples (spec/signals.md 2.11).

The margin of a rule is the text's score with the bank of the hard examples minus that with the
easy ones: in [-2, 2], in practice in [-0.2, 0.2]. Above `threshold` the level is hard, below its
negative easy, else medium; there is always one, unless a `composer` does not hold. Confidence:
|margin|, at most 1. Value: `rule` is the margin, whatever the composer says.

Where both sides have `image_candidates`, texts that describe pictures, there is a second margin: of
the picture (`global.images` says which) or, without one, of the text again, as the model embeds it
that puts texts beside pictures. It replaces the first where it is larger, whatever its sign. A rule
of which a margin cannot be had (the picture is refused, or of no kind that the encoder knows, or
one of any is not looked at) is unknown: the other margin may be the smaller one. Examples of a kind
that only one side has are compared with nothing; a rule that has no others is named by `not_run`
and never matches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from orchestrator.claims import COSINES, UNIT, AtMost, Claim, Number
from orchestrator.config.fields import Strict
from orchestrator.config.leaves import nodes, one_leaf
from orchestrator.config.modules import PrototypeScoring
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config, Node
from orchestrator.errors import InferenceError
from orchestrator.inference.examples import MODEL, Banks, Examples, compare, embed
from orchestrator.inference.pictures import attempted
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.matching.prototypes import DECIMALS, Score
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

LEVELS = ("hard", "easy", "medium")
SIDES = ("hard", "easy")
Kind = Literal["candidates", "image_candidates"]
KINDS: tuple[Kind, ...] = ("candidates", "image_candidates")
WIDE = 0.2  # margins beyond it are rare (spec/signals.md 2.11)


class Side(Strict):
    """The examples of one end of the scale."""

    candidates: tuple[RuleName, ...] = ()
    """Texts."""
    image_candidates: tuple[RuleName, ...] = ()
    """Texts that describe pictures."""

    @model_validator(mode="after")
    def some_example(self) -> Self:
        if not self.candidates and not self.image_candidates:
            raise ValueError("needs at least one of candidates, image_candidates")
        return self


class ComplexityRule(Rule):
    """One row of routing.signals.complexity; decisions refer to `rule:hard`, `rule:easy`, ...

    `threshold` bounds the margin score(hard) - score(easy) of two cosines: 0.05 to 0.2 in practice.
    """

    threshold: float = Field(default=0.0, ge=0, le=1)
    """Of the margin between both sides; 0: never medium."""
    hard: Side
    """What is hard is like."""
    easy: Side
    """What is easy is like."""
    composer: Node | None = None
    """A tree of conditions; where it does not hold, the rule gives no level."""

    @field_validator("name")
    @classmethod
    def plain_name(cls, value: str) -> str:
        if ":" in value:
            raise ValueError("must not contain ':', which separates the name from the level")
        return value

    def has(self, kind: Kind) -> bool:
        """Whether both sides have examples of that kind."""
        return bool(getattr(self.hard, kind) and getattr(self.easy, kind))

    def level(self, margin: float) -> str:
        if margin > self.threshold:
            return "hard"
        return "easy" if margin < -self.threshold else "medium"


@dataclass(frozen=True, slots=True)
class Margins:
    """By rule. Those of a kind are all unknown, or none: `reason` is why."""

    found: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    truncated: bool = False


@SIGNALS.register("complexity")
class Complexity(Inferred[ComplexityRule]):
    Rule = ComplexityRule
    section = "complexity"
    results = "complexity"
    models = (MODEL, IMAGE_SIGNALS, IMAGE_TEXT)
    settings = ("model_catalog", "modules", "complexity", "prototype_scoring")
    composable = False

    def __init__(self, rules: Sequence[ComplexityRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        scoring = PrototypeScoring.model_validate(surroundings.settings.get("complexity", {}))
        self._inference = surroundings.inference
        self._pictures = surroundings.pictures()
        self._text_rules = [rule for rule in rules if rule.has("candidates")]
        self._image_rules = [rule for rule in rules if rule.has("image_candidates")]
        self._banks = Banks(
            self._inference,
            "complexity examples",
            _examples(self._text_rules, "candidates", scoring),
        )
        self._image_banks = Banks(
            self._inference,
            "complexity examples of pictures",
            _examples(self._image_rules, "image_candidates", scoring),
            model=IMAGE_TEXT,
        )

    @classmethod
    def idle(cls, rules: Sequence[ComplexityRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(rule.name for rule in rules if not any(map(rule.has, KINDS)))

    @classmethod
    def asks(cls, rules: Sequence[ComplexityRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        texts = (MODEL,) if any(rule.has("candidates") for rule in rules) else ()
        pictures = any(rule.has("image_candidates") for rule in rules)
        return texts + ((IMAGE_SIGNALS, IMAGE_TEXT) if pictures else ())

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

    @classmethod
    def claims(
        cls, rules: Sequence[ComplexityRule], settings: Mapping[str, Any]
    ) -> Iterator[Claim]:
        for rule in rules:
            levels = (f"{rule.name}:{level}" for level in LEVELS)
            yield AtMost.one_of(levels, f"a text has one level of {rule.name}")

    @classmethod
    def numbers(
        cls, rules: Sequence[ComplexityRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        """A leaf reads its confidence, or else the margin of its rule."""
        sure = {name: Number(name, UNIT, of_match=True) for name in cls.leaves(rules)}
        return sure | {rule.name: Number(rule.name, COSINES) for rule in rules}

    def not_run(self) -> tuple[str, ...]:
        return self.idle(self.rules, {})

    async def prepare(self) -> None:
        await asyncio.gather(self._banks.start(), self._image_banks.start())

    def wait(self, request: Request) -> float:
        return self._pictures.wait(request) if self._image_rules else 0.0

    async def evaluate(self, request: Request) -> Reading:
        if not self._image_rules:
            return self._read(await self._of_text(request), Margins())
        # In a task of its own: the text's question leaves with those of the other families.
        looking = asyncio.ensure_future(attempted(self._of_pictures(request)))
        try:
            text, seen = await attempted(self._of_text(request)), await looking
        finally:
            looking.cancel()
        return self._read(_margins(text), _margins(seen))

    def _read(self, text: Margins, seen: Margins) -> Reading:
        matches: dict[str, float | None] = {}
        values: dict[str, float] = {}
        unknown: dict[str, str] = {}
        for rule in self.rules:
            kinds = zip(KINDS, (text, seen), strict=True)
            told = [margins for kind, margins in kinds if rule.has(kind)]
            reason = next((margins.reason for margins in told if margins.reason), "")
            if reason:
                unknown[rule.name] = reason
                continue
            both = [margins.found[rule.name] for margins in told if rule.name in margins.found]
            if both:
                margin = values[rule.name] = max(both, key=abs)  # of equal ones the text's
                matches[f"{rule.name}:{rule.level(margin)}"] = min(abs(margin), 1.0)
        return Reading(matches, values, unknown, truncated=text.truncated or seen.truncated)

    async def _of_text(self, request: Request) -> Margins:
        """Raises InferenceError."""
        if not self._text_rules or not request.text.strip():
            return Margins()
        found = await compare(self._inference, request.text, [self._banks])
        margins = _differences(self._text_rules, found.scores[0])
        return Margins(margins, truncated=found.truncated)

    async def _of_pictures(self, request: Request) -> Margins:
        """Of the text where there is no picture. Raises InferenceError, UnreadableImage."""
        reason = ""
        if self._pictures.shown(request):
            views = await self._pictures.views(request)
            vectors, reason, truncated = views.vectors, views.reason, views.cut
        elif request.text.strip():
            embedded, truncated = await embed(self._inference, [request.text], IMAGE_TEXT)
            vectors = [*embedded]
        else:
            return Margins()
        if reason:
            return Margins(reason=reason, truncated=truncated)
        found: dict[str, float] = {}
        for scores in await self._image_banks.against(vectors):
            margins = _differences(self._image_rules, scores)
            found = {name: max(found.get(name, 0.0), new, key=abs) for name, new in margins.items()}
        return Margins(found, truncated=truncated)


def _examples(
    rules: Sequence[ComplexityRule], kind: Kind, scoring: PrototypeScoring
) -> list[Examples]:
    """Of the rules in turn, each hard before easy."""
    return [
        Examples(getattr(side, kind), scoring) for rule in rules for side in (rule.hard, rule.easy)
    ]


def _differences(rules: Sequence[ComplexityRule], scores: Sequence[Score]) -> dict[str, float]:
    return {
        rule.name: round(hard.score - easy.score, DECIMALS)
        for rule, hard, easy in zip(rules, scores[::2], scores[1::2], strict=True)
    }


def _margins(told: Margins | InferenceError) -> Margins:
    return Margins(reason=told.code) if isinstance(told, InferenceError) else told


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
    for kind in KINDS:
        one_side = [side for side in SIDES if getattr(getattr(rule, side), kind)]
        if len(one_side) == 1:
            (side,) = one_side
            (other,) = set(SIDES) - {side}
            rest = "" if any(map(rule.has, KINDS)) else f"; {rule.name!r} has no others: not run"
            said = f"not used: there are no {kind} on the side {other} to compare them with{rest}"
            yield Finding((index, side, kind), said, f"give {other} some too", "warning")
