"""modality -- is text, a picture or both asked for (spec/signals.md 2.12).

Exactly one name is the verdict, by `method` of model_catalog.modules.modality_detector, which must
be on. `keyword`: no `keywords` in the text is AR (0.8); some is DIFFUSION (0.8), or BOTH (0.75)
with one of `both_keywords` beside it; they are found anywhere, whatever their case. `classifier`:
the most probable label. `hybrid`: the classifier at `confidence_threshold`; else what both say;
else the classifier at `lower_threshold_ratio` of that; else the keywords. Without the model,
`hybrid` goes by the keywords and `classifier` says AR at 0, and the reading says that it failed.
In a language that the model does not read well, or a script that it cannot read, `hybrid` goes by
the keywords too, and the rules of `classifier` are unknown. Matches record no confidence.

Values: that of the rule that is the verdict is how sure it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from orchestrator.claims import UNIT, AtMost, Claim, Number, Some
from orchestrator.config.modules import ModalityDetector as Settings
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError, UnreadableText
from orchestrator.inference.questions import TEXT_SIGNALS, Topic, topic
from orchestrator.matching.pieces import MOST_BYTES
from orchestrator.matching.samples import sample
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

TASK = "modality"
THRESHOLD = 0.6
RATIO = 0.7

Verdict = tuple[str, float]  # name and how sure
Kind = Literal["AR", "DIFFUSION", "BOTH"]
NOTHING: Verdict = ("AR", 0.0)


class ModalityRule(Rule):
    """One row of routing.signals.modality: text (AR), picture (DIFFUSION) or both."""

    name: Kind
    """What the answer shall be: text, a picture, or both."""


@SIGNALS.register("modality")
class Modality(Inferred[ModalityRule]):
    Rule = ModalityRule
    section = "modality"
    results = "modality"
    models = (TEXT_SIGNALS,)
    tasks = {TASK: get_args(Kind)}
    settings = ("model_catalog", "modules", "modality_detector")

    def __init__(self, rules: Sequence[ModalityRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = Settings.model_validate(surroundings.settings.get("modality", {}))
        self._inference = surroundings.inference
        self._gate = surroundings.gate(TASK, any_language=self._settings.any_language)
        self._keywords = _lowered(self._settings.keywords)
        self._both = _lowered(self._settings.both_keywords)

    @classmethod
    def check(
        cls, rules: Sequence[ModalityRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        if rules and not config.global_.model_catalog.modules.modality_detector.enabled:
            said = "modality rules are not run: model_catalog.modules.modality_detector is off"
            yield Finding((), said, "set enabled: true there", "warning")

    @classmethod
    def idle(cls, rules: Sequence[ModalityRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        off = not Settings.model_validate(settings).enabled
        return tuple(rule.name for rule in rules) if off else ()

    def not_run(self) -> tuple[str, ...]:
        return self.idle(self.rules, self._settings.model_dump())

    @classmethod
    def claims(cls, rules: Sequence[ModalityRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        names = tuple(rule.name for rule in rules)
        yield AtMost.one_of(names, "a request has one modality")
        if settings.get("enabled") and set(names) == set(get_args(Kind)):
            yield Some(names, "a request has a modality")

    @classmethod
    def numbers(
        cls, rules: Sequence[ModalityRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, UNIT, of_match=True) for rule in rules}

    async def evaluate(self, request: Request) -> Reading:
        if not self._settings.enabled:
            return Reading()
        if not request.text.strip():
            return self._read(NOTHING, truncated=False)
        if self._settings.method == "keyword":
            return self._by_keywords(request)
        if self._gate and (why := self._gate.refusal(request.text)):
            return await self._unread(request, why)
        try:
            said = await topic(self._inference, request.text, TASK)
        except UnreadableText as error:
            return await self._unread(request, error.code)
        except InferenceError as error:
            return await self.fallback(request, error.code)
        return self._read(self._weighed(said, request), said.truncated)

    async def _unread(self, request: Request, why: str) -> Reading:
        if self._settings.method == "classifier":
            return await super().fallback(request, why)
        return replace(self._by_keywords(request), failed=why)

    async def fallback(self, request: Request, reason: str) -> Reading:
        if not self._settings.enabled:
            return Reading()
        if self._settings.method == "classifier" or not request.text.strip():
            return replace(self._read(NOTHING, truncated=False), failed=reason)
        return replace(self._by_keywords(request), failed=reason)

    def _weighed(self, said: Topic, request: Request) -> Verdict:
        shares = said.probabilities
        name = max(shares, key=lambda label: shares[label])
        sure = shares[name]
        least = self._settings.confidence_threshold or THRESHOLD
        if self._settings.method == "classifier" or sure >= least:
            return name, sure
        other, also = self._hits(sample(request.text, MOST_BYTES)[0])
        if name == other:
            return name, (sure + also) / 2
        if sure >= least * (self._settings.lower_threshold_ratio or RATIO):
            return name, sure
        return other, also

    def _by_keywords(self, request: Request) -> Reading:
        text, cut = sample(request.text, MOST_BYTES)
        return self._read(self._hits(text), cut)

    def _hits(self, text: str) -> Verdict:
        text = text.lower()
        if not any(keyword in text for keyword in self._keywords):
            return "AR", 0.8
        if any(keyword in text for keyword in self._both):
            return "BOTH", 0.75
        return "DIFFUSION", 0.8

    def _read(self, verdict: Verdict, truncated: bool) -> Reading:
        name, sure = verdict
        if all(rule.name != name for rule in self.rules):
            return Reading(truncated=truncated)
        return Reading({name: None}, {name: sure}, truncated=truncated)


def _lowered(keywords: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for keyword in keywords if (word := keyword.strip().lower()))
