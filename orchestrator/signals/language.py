"""language -- the natural language of the text (spec/signals.md 2.8).

A sample by nature: of a text beyond 192 characters the detector reads a slice of the head, the
middle and the tail, which is no cut that anyone counts. What stands elsewhere, in another language,
is not seen.

An answer below the lowest threshold that any rule sets (0.3 when none does), or none at all, counts
as English with 0.5: a rule `en` with a higher threshold does not profit from that. Bokmål (nb) and
Norwegian (no) are one language here, as the detector tells them apart by accident only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from orchestrator.claims import AtMost, Claim, Number
from orchestrator.config.fields import Unit
from orchestrator.matching.languages import CODES, Detector, Guess
from orchestrator.signals import SIGNALS, Heuristic, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

LEAST = 0.3
FALLBACK = Guess("en", 0.5)
SAME = {"nb": "no"}


def _text(value: object) -> object:
    # YAML 1.1 reads a bare `no` as false.
    return "no" if value is False else value


def _known(code: str) -> str:
    if code not in CODES:
        # Of a word, or of a code with a region, the first letters mean nothing or all.
        near = difflib.get_close_matches(code.lower()[:2], CODES, 3, 0.5) if len(code) < 6 else ()
        hint = f"; near: {', '.join(near)}" if near else ""
        raise ValueError(f"expected an ISO 639-1 code of a language, as en, zh or de{hint}")
    return code


class LanguageRule(Rule):
    """One row of routing.signals.language; its name is the language."""

    name: Annotated[RuleName, BeforeValidator(_text), AfterValidator(_known)]
    """The language's ISO 639-1 code, in lower case."""
    threshold: Unit = 0.0
    """Confidence from which on it matches; 0: the detector's own."""


@SIGNALS.register("language")
class Language(Heuristic[LanguageRule]):
    Rule = LanguageRule
    section = "language"
    results = "language"

    @classmethod
    def claims(cls, rules: Sequence[LanguageRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """Two names of one language hold together: each is apart from all others."""
        for twin in SAME.items():
            for left_out in twin:
                names = [rule.name for rule in rules if rule.name != left_out]
                yield AtMost.one_of(names, "a text has one language")

    @classmethod
    def numbers(
        cls, rules: Sequence[LanguageRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return dict.fromkeys(rule.name for rule in rules)

    def __init__(self, rules: Sequence[LanguageRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._detector = surroundings.shared(Detector)
        self._least = min((r.threshold for r in self.rules if r.threshold), default=LEAST)

    def evaluate(self, request: Request) -> Reading:
        guess = self._detector.detect(request.text)
        if guess is None or guess.probability < self._least:
            guess = FALLBACK
        code, probability = guess
        return Reading(
            {
                rule.name: None
                for rule in self.rules
                if SAME.get(rule.name, rule.name) == SAME.get(code, code)
                and probability >= rule.threshold
            }
        )
