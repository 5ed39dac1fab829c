"""user_feedback -- how the user takes the previous answer (spec/signals.md 2.5).

Read off the current user text, where the conversation holds an answer already. Exactly one name is
the verdict: the most probable one, or `satisfied` where it does not reach the threshold
(model_catalog.modules.feedback_detector). Matches record no confidence.

Values of a rule: `rule` is the probability of what it is named for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

from orchestrator.claims import UNIT, AtMost, Claim, Number
from orchestrator.config.modules import FeedbackDetector as Settings
from orchestrator.config.problems import Finding
from orchestrator.config.schema import Config
from orchestrator.inference.questions import TEXT_SIGNALS, topic
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

TASK = "user_feedback"
LABELS = {
    "satisfied": "SAT",
    "need_clarification": "NEED_CLARIFICATION",
    "wrong_answer": "WRONG_ANSWER",
    "want_different": "WANT_DIFFERENT",
}
DOUBTFUL = "satisfied"
INSTEAD_OF_ZERO = 0.5  # a threshold of 0 means this one


class UserFeedbackRule(Rule):
    """One row of routing.signals.user_feedbacks: the name is the classifier's verdict."""

    name: Literal["satisfied", "need_clarification", "wrong_answer", "want_different"]
    """The classifier's verdict."""


@SIGNALS.register("user_feedback")
class UserFeedback(Inferred[UserFeedbackRule]):
    Rule = UserFeedbackRule
    section = "user_feedbacks"
    results = "user_feedback"
    models = (TEXT_SIGNALS,)
    tasks = {TASK: tuple(LABELS.values())}
    settings = ("model_catalog", "modules", "feedback_detector")

    def __init__(self, rules: Sequence[UserFeedbackRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = Settings.model_validate(surroundings.settings.get("user_feedback", {}))
        self._inference = surroundings.inference
        self._gate = surroundings.gate(TASK, any_language=self._settings.any_language)

    @classmethod
    def check(
        cls, rules: Sequence[UserFeedbackRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        if rules and not config.global_.model_catalog.modules.feedback_detector.enabled:
            said = "user_feedback rules are not run: model_catalog.modules.feedback_detector is off"
            yield Finding((), said, "set enabled: true there", "warning")

    @classmethod
    def idle(
        cls, rules: Sequence[UserFeedbackRule], settings: Mapping[str, Any]
    ) -> tuple[str, ...]:
        off = not Settings.model_validate(settings).enabled
        return tuple(rule.name for rule in rules) if off else ()

    def not_run(self) -> tuple[str, ...]:
        return self.idle(self.rules, self._settings.model_dump())

    @classmethod
    def claims(
        cls, rules: Sequence[UserFeedbackRule], settings: Mapping[str, Any]
    ) -> Iterator[Claim]:
        yield AtMost.one_of((rule.name for rule in rules), "a turn is one kind of feedback")

    @classmethod
    def numbers(
        cls, rules: Sequence[UserFeedbackRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, UNIT) for rule in rules}

    async def evaluate(self, request: Request) -> Reading:
        text = request.user_text
        if not self._settings.enabled or not request.has_assistant_reply or not text.strip():
            return Reading()
        if self._gate and (why := self._gate.refusal(text)):
            return await self.fallback(request, why)
        said = await topic(self._inference, text, TASK)
        shares = {name: said.probabilities[label] for name, label in LABELS.items()}
        verdict = max(shares, key=lambda name: shares[name])
        if shares[verdict] < (self._settings.threshold or INSTEAD_OF_ZERO):
            verdict = DOUBTFUL
        names = [rule.name for rule in self.rules]
        return Reading(
            {name: None for name in names if name == verdict},
            {name: shares[name] for name in names},
            truncated=said.truncated,
        )
