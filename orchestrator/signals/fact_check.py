"""fact_check -- does the answer need to be checked against sources (spec/signals.md 2.4).

Exactly one of both names is the verdict. "Needed" must be the more probable one and reach the
threshold (model_catalog.modules.hallucination_mitigation.fact_check); a weak "not needed" stays
what it is. A blank text needs no check. Matches record no confidence.

Values of a rule: `rule` is the probability of what it is named for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from orchestrator.claims import UNIT, AtMost, Claim, Number, Some
from orchestrator.config.modules import FactCheck as Settings
from orchestrator.inference.questions import TEXT_SIGNALS, topic
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

TASK = "fact_check"
NOT_NEEDED, NEEDED = LABELS = ("NO_FACT_CHECK_NEEDED", "FACT_CHECK_NEEDED")
INSTEAD_OF_ZERO = 0.7  # a threshold of 0 means this one


class FactCheckRule(Rule):
    """One row of routing.signals.fact_check: the name is the classifier's verdict."""

    name: Literal["needs_fact_check", "no_fact_check_needed"]
    """The classifier's verdict."""


@SIGNALS.register("fact_check")
class FactCheck(Inferred[FactCheckRule]):
    Rule = FactCheckRule
    section = "fact_check"
    results = "fact_check"
    models = (TEXT_SIGNALS,)
    tasks = {TASK: LABELS}
    settings = ("model_catalog", "modules", "hallucination_mitigation", "fact_check")

    @classmethod
    def claims(cls, rules: Sequence[FactCheckRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        names = tuple(rule.name for rule in rules)
        yield AtMost.one_of(names, "facts are to be checked or not")
        if len(names) == len(LABELS):
            yield Some(names, "facts are to be checked or not")

    @classmethod
    def numbers(
        cls, rules: Sequence[FactCheckRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, UNIT) for rule in rules}

    def __init__(self, rules: Sequence[FactCheckRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        settings = Settings.model_validate(surroundings.settings.get("fact_check", {}))
        self._threshold = settings.threshold or INSTEAD_OF_ZERO
        self._inference = surroundings.inference
        self._gate = surroundings.gate(TASK, any_language=settings.any_language)

    async def evaluate(self, request: Request) -> Reading:
        if not request.text.strip():
            return self._read(needed=0.0, not_needed=1.0, truncated=False)
        if self._gate and (why := self._gate.refusal(request.text)):
            return await self.fallback(request, why)
        said = await topic(self._inference, request.text, TASK)
        shares = said.probabilities
        return self._read(shares[NEEDED], shares[NOT_NEEDED], said.truncated)

    def _read(self, needed: float, not_needed: float, truncated: bool) -> Reading:
        sure = needed > not_needed and needed >= self._threshold
        verdict = "needs_fact_check" if sure else "no_fact_check_needed"
        values = {"needs_fact_check": needed, "no_fact_check_needed": not_needed}
        names = [rule.name for rule in self.rules]
        return Reading(
            {name: None for name in names if name == verdict},
            {name: values[name] for name in names},
            truncated=truncated,
        )
