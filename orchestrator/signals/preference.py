"""preference -- which described kind of request this is most like (spec/signals.md 2.7).

Contrastive: the description and the examples of a rule are one bank of prototypes, and only the
rule that scores best may match. It must reach its own threshold, and lead the next one by at least
`margin_threshold` of `model_catalog.modules.classifier.preference.prototype_scoring`. A lone rule
has nobody to lead. Equal scores fall to the name.

Values of a rule: `rule` is its lead over the best of the others (negative where another one
scores higher; its own score where it is alone), `rule:score` its score. With
`use_contrastive: false` the format asks a language model instead, which this version does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from orchestrator.claims import COSINES, AtMost, Claim, Number
from orchestrator.config.modules import Preference as Settings
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.inference.examples import MODEL, Banks, Examples, compare
from orchestrator.matching.prototypes import DECIMALS
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request


class PreferenceRule(Rule):
    """One row of routing.signals.preferences; the description is an example as well."""

    examples: tuple[RuleName, ...] = ()
    """Texts that are like it; the description is one as well."""
    threshold: float = Field(default=0.0, ge=0, le=1)
    """From which on the best rule counts; 0: always."""

    @property
    def texts(self) -> tuple[str, ...]:
        description = (self.description or "").strip()
        return (description, *self.examples) if description else self.examples


@SIGNALS.register("preference")
class Preference(Inferred[PreferenceRule]):
    Rule = PreferenceRule
    section = "preferences"
    results = "preferences"
    header = "preference"
    models = (MODEL,)
    settings = ("model_catalog", "modules", "classifier", "preference")

    def __init__(self, rules: Sequence[PreferenceRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        settings = Settings.model_validate(surroundings.settings.get("preference", {}))
        self._lead = settings.prototype_scoring.margin_threshold
        self._inference = surroundings.inference
        able = [rule for rule in rules if rule.texts and settings.use_contrastive]
        self._able = sorted(able, key=lambda rule: rule.name)
        self._banks = Banks(
            surroundings.inference,
            "preference examples",
            [Examples(rule.texts, settings.prototype_scoring) for rule in self._able],
        )

    @classmethod
    def limits(cls, rules: Sequence[PreferenceRule]) -> dict[str, float]:
        return {}  # a threshold is of the score, and the value is the lead

    @classmethod
    def check(
        cls, rules: Sequence[PreferenceRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        for index, rule in enumerate(rules):
            if not rule.texts:
                said = f"{rule.name!r} has neither a description nor examples: it never matches"
                yield Finding((index,), said, "say what such a request is like", "warning")

    @classmethod
    def claims(
        cls, rules: Sequence[PreferenceRule], settings: Mapping[str, Any]
    ) -> Iterator[Claim]:
        yield AtMost.one_of((rule.name for rule in rules), "the best preference alone matches")

    @classmethod
    def numbers(
        cls, rules: Sequence[PreferenceRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, COSINES) for rule in rules}

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule not in self._able)

    async def prepare(self) -> None:
        await self._banks.start()

    async def evaluate(self, request: Request) -> Reading:
        if not self._able or not request.text.strip():
            return Reading()
        found = await compare(self._inference, request.text, [self._banks])
        scores = [one.score for one in found.scores[0]]
        first, *others = sorted(scores, reverse=True)
        second = others[0] if others else 0.0
        values: dict[str, float] = {}
        for rule, score in zip(self._able, scores, strict=True):
            values[rule.name] = round(score - (second if score == first else first), DECIMALS)
            values[f"{rule.name}:score"] = score
        best = self._able[scores.index(first)]
        leads = not others or values[best.name] >= self._lead
        gate = best.threshold == 0 or first >= best.threshold
        matches = {best.name: max(first, 0.0)} if leads and gate else {}
        return Reading(matches, values, truncated=found.truncated)
