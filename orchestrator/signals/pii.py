"""pii -- the text holds personal data of a kind that is not allowed (spec/signals.md 2.15).

Read are the current text and, with `include_history`, each earlier text and the system prompt by
itself, in pieces up to a limit (`matching/pieces.py`). What the model finds in them is united with
what has a form that can be checked, such as an e-mail address or a card number
(`matching/personal.py`). A rule matches on an entity of a type that is not
allowed, from `threshold` on, or that of model_catalog.modules.classifier.pii. Matches record no
confidence.

Without the model, what has been checked still matches, and a rule without such a hit is unknown; so
it is where nothing is found and a part of what it reads is beyond the limit (`text_cut`,
`history_not_read`), or in a script that the model does not read (`unreadable_text`).

Values of a rule: `rule` is the score of the surest entity that is not allowed, or 0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from orchestrator.claims import UNIT, Claim, Interval, Number, Reads
from orchestrator.config.modules import Pii as Settings
from orchestrator.config.problems import Finding, nearest
from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError
from orchestrator.inference import Entity
from orchestrator.inference.questions import TEXT_SIGNALS, Answer, ask, contents, cuts, unread
from orchestrator.inference.reading_time import of_pieces
from orchestrator.inference.spans import checked, united
from orchestrator.matching.personal import Personal
from orchestrator.matching.pieces import Cut, pieces
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

TASK = "pii"
TYPES = (
    "AGE",
    "CREDIT_CARD",
    "DATE_TIME",
    "DOMAIN_NAME",
    "EMAIL_ADDRESS",
    "GPE",
    "IBAN_CODE",
    "IP_ADDRESS",
    "NRP",
    "ORGANIZATION",
    "PERSON",
    "PHONE_NUMBER",
    "STREET_ADDRESS",
    "TITLE",
    "US_DRIVER_LICENSE",
    "US_SSN",
    "ZIP_CODE",
)
LONG = 4 * 1024  # characters; a search in more, digits all of them, holds the event loop for 3 ms


class PiiRule(Rule):
    """One row of routing.signals.pii. Without allowed types, any personal data matches."""

    threshold: float | None = Field(default=None, ge=0, le=1)
    """Not given: the model's own."""
    pii_types_allowed: tuple[RuleName, ...] = ()
    """Kinds of personal data that do not count; none: any does."""
    include_history: bool = False
    """Reads earlier turns and the system prompt too."""

    @property
    def number(self) -> Number:
        allowed = sorted({*map(_type, self.pii_types_allowed)})
        read = "all texts" if self.include_history else "the text"
        but = f" but {', '.join(allowed)}" if allowed else ""
        return Number(f"the surest personal data in {read}{but}", UNIT)


@SIGNALS.register("pii")
class Pii(Inferred[PiiRule]):
    Rule = PiiRule
    section = "pii"
    results = "pii"
    models = (TEXT_SIGNALS,)
    tasks = {TASK: TYPES}
    settings = ("model_catalog", "modules", "classifier", "pii")
    guards = True
    composable = False

    def __init__(self, rules: Sequence[PiiRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = Settings.model_validate(surroundings.settings.get("pii", {}))
        self._inference = surroundings.inference
        self._allowed = {rule.name: frozenset(map(_type, rule.pii_types_allowed)) for rule in rules}
        self._off = self._settings.enabled is False
        self._personal = surroundings.shared(Personal)
        self._searches: dict[int, _Search] = {}  # of requests in progress, by their id()

    @classmethod
    def check(
        cls, rules: Sequence[PiiRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        if rules and config.global_.model_catalog.modules.classifier.pii.enabled is False:
            said = "pii rules are not run: model_catalog.modules.classifier.pii is off"
            yield Finding((), said, "set enabled: true there", "warning")
        for index, rule in enumerate(rules):
            for at, word in enumerate(rule.pii_types_allowed):
                if _type(word) not in TYPES:
                    path = (index, "pii_types_allowed", at)
                    hint = nearest(_type(word), TYPES) or f"known: {', '.join(TYPES)}"
                    yield Finding(path, f"unknown type of personal data {word!r}", hint, "warning")

    @classmethod
    def idle(cls, rules: Sequence[PiiRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        off = Settings.model_validate(settings).enabled is False
        return tuple(rule.name for rule in rules) if off else ()

    @classmethod
    def claims(cls, rules: Sequence[PiiRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        """Rules that allow the same types and read the same texts compare one score."""
        default = Settings.model_validate(settings).threshold
        for rule in rules:
            least = default if rule.threshold is None else rule.threshold
            span = Interval.of(gte=least) if least else Interval.of(gt=0.0)
            yield Reads(rule.name, rule.number, span, exact=True)

    @classmethod
    def numbers(
        cls, rules: Sequence[PiiRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: rule.number for rule in rules}

    def not_run(self) -> tuple[str, ...]:
        return self.idle(self.rules, self._settings.model_dump())

    def more(self, request: Request) -> float:
        return of_pieces(self._texts(request))

    async def evaluate(self, request: Request) -> Reading:
        texts = self._texts(request)
        if self._off or not any(text.strip() for text in texts):
            return Reading()
        read = cuts(texts)
        search = self._searches[id(request)] = _Search(self._personal, texts, read)
        try:
            answers = await ask(self._inference, read, (TASK,), chat=True)
            found = await search.united(answers)
        except InferenceError as error:
            return await self.fallback(request, error.code)
        finally:
            # Where the deadline has passed, `fallback` comes before the loop's next turn.
            asyncio.get_running_loop().call_soon(self._forget, request)
        lost = [bool(answer.illegible) for answer in answers]
        return self._read(found, [answer.truncated for answer in answers], lost)

    async def fallback(self, request: Request, reason: str) -> Reading:
        texts = self._texts(request)
        if self._off or not any(text.strip() for text in texts):
            return Reading()
        search = self._searches.get(id(request)) or _Search(self._personal, texts, cuts(texts))
        reading = self._read(await search.found())
        missed = [rule.name for rule in self.rules if rule.name not in reading.matches]
        values = {name: reading.values[name] for name in reading.matches}
        return Reading(reading.matches, values, dict.fromkeys(missed, reason), search.truncated)

    def _texts(self, request: Request) -> tuple[str, ...]:
        return contents(request, history=any(rule.include_history for rule in self.rules))

    def _forget(self, request: Request) -> None:
        self._searches.pop(id(request), None)

    def _read(
        self,
        found: Sequence[Sequence[Entity]],
        cut: Sequence[bool] = (),
        lost: Sequence[bool] = (),
    ) -> Reading:
        """`cut` says of each text whether a part of it was not read, `lost` whether one cannot
        be."""
        values = {rule.name: self._surest(rule, found) for rule in self.rules}
        matches: dict[str, float | None] = {}
        unknown: dict[str, str] = {}
        for rule in self.rules:
            if values[rule.name] > 0 and values[rule.name] >= self._threshold(rule):
                matches[rule.name] = None
            elif why := unread(cut, lost, history=rule.include_history):
                unknown[rule.name] = why
                del values[rule.name]
        return Reading(matches, values, unknown, any(cut))

    def _surest(self, rule: PiiRule, found: Sequence[Sequence[Entity]]) -> float:
        read = found if rule.include_history else found[:1]
        allowed = self._allowed[rule.name]
        return max((e.score for one in read for e in one if e.label not in allowed), default=0.0)

    def _threshold(self, rule: PiiRule) -> float:
        return self._settings.threshold if rule.threshold is None else rule.threshold


class _Search:
    """For what has a form, in the texts of one request. Long ones are read by a thread from the
    start on, while the model is asked."""

    def __init__(self, personal: Personal, texts: Sequence[str], read: Sequence[Cut]) -> None:
        self.truncated = any(cut.truncated for cut in read)
        self._personal = personal
        self._texts = texts
        self._read = read
        self._long = sum(map(len, texts)) > LONG
        self._task = asyncio.create_task(asyncio.to_thread(self._run)) if self._long else None

    async def found(self) -> list[tuple[Entity, ...]]:
        return await asyncio.shield(self._task) if self._task else self._run()

    async def united(self, answers: Sequence[Answer]) -> list[tuple[Entity, ...]]:
        rows = [*zip(self._texts, answers, await self.found(), strict=True)]

        def unite() -> list[tuple[Entity, ...]]:
            return [united(text, TASK, answer, one, self._personal) for text, answer, one in rows]

        return await asyncio.to_thread(unite) if self._long else unite()

    def _run(self) -> list[tuple[Entity, ...]]:
        pairs = zip(self._texts, self._read, strict=True)
        return [checked(text, cut, self._personal) for text, cut in pairs]


def entities(text: str, answer: Answer, personal: Personal) -> tuple[Entity, ...]:
    """All personal data in `text`, or in its pieces where it is too long (`pieces`), by position.

    Spans of two kinds may overlap.
    """
    return united(text, TASK, answer, checked(text, pieces(text), personal), personal)


def _type(word: str) -> str:
    """The type that an allow-list means: PERSON of person, B-PERSON, I-PERSON."""
    return word.strip().upper().removeprefix("B-").removeprefix("I-")
