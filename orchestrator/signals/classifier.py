"""classifier -- the operator's own model or prompt, read label by label (spec/signals.md 2.20).

Of type local, a rule reads a task of the text classifier, of any number of labels: the last part
of `model_path` names it, and `labels` must be its labels. The whole text is read, in pieces up to
a limit (`matching/pieces.py`). A rule of type llm is accepted, named by `not_run` and never
matches.

Values of a rule: `rule:label` is the highest probability that any piece has of the label. The rule
matches as `rule:label` of the highest of these, with that as its confidence. Where it cannot be
judged, the reason is one of the codes of the format, that a sentence or more is in a script that
the model cannot read (`unreadable_text`), or that the task does not read the language of the text
well (unless the rule has `any_language`), and `on_error` of a leaf has its say.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from orchestrator.claims import UNIT, Number
from orchestrator.config.problems import Finding, nearest, unknown
from orchestrator.config.schema import Config
from orchestrator.errors import InferenceError, InferenceTimeout, InvalidScore, UnreadableText
from orchestrator.inference.questions import TEXT_SIGNALS, Answer, ask
from orchestrator.inference.reading_time import of_pieces
from orchestrator.inference.unreadable import refusal
from orchestrator.matching.pieces import pieces
from orchestrator.signals import SIGNALS, Inferred, Rule, RuleName, Surroundings
from orchestrator.types import Reading, Request

ROLE = "classification"  # model_role of the external models that a rule may prompt

FAILED = "classifier_evaluation_failed"
REASONS = {
    InferenceTimeout.code: "classifier_timeout",
    InvalidScore.code: "classifier_invalid_score",
    UnreadableText.code: UnreadableText.code,
}

logger = logging.getLogger(__name__)


class ClassifierRule(Rule):
    """One row of routing.signals.classifiers: a local sequence classifier or a prompted LLM."""

    type: Literal["local", "llm"]
    """A classifier in Triton; or a prompted language model, which is not asked."""
    labels: tuple[RuleName, ...] = Field(min_length=1)
    """What it tells apart; leaves name one and bound its score."""
    model_path: RuleName | None = None
    """For local: the model in Triton."""
    use_cpu: bool | None = None
    """For local; Triton's configuration says so here."""
    any_language: bool | None = None
    """For local: asks about texts in languages that the model reads badly too."""
    model: RuleName | None = None
    """For llm: a name in global.model_catalog.external."""
    instructions: RuleName | None = None
    """For llm: what to decide, in words."""

    @field_validator("name")
    @classmethod
    def plain_name(cls, value: str) -> str:
        return _plain(value)

    @field_validator("labels")
    @classmethod
    def distinct_labels(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("labels must differ from one another")
        return tuple(map(_plain, value))

    @model_validator(mode="after")
    def has_the_keys_of_its_type(self) -> Self:
        match self.type:
            case "local":
                self._require({"model_path"}, refused={"model", "instructions"})
                if len(self.labels) < 2:
                    raise ValueError("type local needs at least two labels")
            case "llm":
                self._require({"model", "instructions"}, refused={"model_path", "any_language"})
        return self

    @property
    def task(self) -> str:
        return PurePosixPath(self.model_path or "").name

    def _require(self, needed: set[str], *, refused: set[str]) -> None:
        given = set(self.model_dump(exclude_none=True))
        if missing := sorted(needed - given):
            raise ValueError(f"type {self.type} needs {' and '.join(missing)}")
        if extra := sorted(refused & given):
            raise ValueError(f"type {self.type} takes no {' or '.join(extra)}")


@SIGNALS.register("classifier")
class Classifier(Inferred[ClassifierRule]):
    Rule = ClassifierRule
    section = "classifiers"
    results = "classifier"
    models = (TEXT_SIGNALS,)
    labelled = True
    composable = False

    def __init__(self, rules: Sequence[ClassifierRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._inference = surroundings.inference
        self._local = tuple(rule for rule in self.rules if rule.type == "local")
        self._gates = {
            rule.name: surroundings.gate(rule.task, any_language=bool(rule.any_language))
            for rule in self._local
        }
        self._told: set[str] = set()

    @classmethod
    def idle(cls, rules: Sequence[ClassifierRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(rule.name for rule in rules if rule.type != "local")

    @classmethod
    def labels(cls, rules: Sequence[ClassifierRule]) -> dict[str, tuple[str, ...]]:
        return {rule.name: rule.labels for rule in rules}

    @classmethod
    def check(
        cls, rules: Sequence[ClassifierRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """A prompted model is one of those in the catalogue that classify; a local task is
        best one of those that other families read, with the same labels."""
        external = config.global_.model_catalog.external
        able = [model.name for model in external if model.model_role == ROLE]
        tasks = _tasks()
        for index, rule in enumerate(rules):
            if rule.model is not None and rule.model not in able:
                kind = f"external model of the role {ROLE}"
                yield unknown(kind, rule.model, able, (index, "model"))
            if rule.type == "local" and rule.task not in tasks:
                said = f"{TEXT_SIGNALS} has no task {rule.task!r}, unless you have added one"
                hint = nearest(rule.task, tasks) or f"known: {', '.join(sorted(tasks))}"
                yield Finding((index, "model_path"), said, hint, "warning")
            elif rule.type == "local" and set(rule.labels) != set(tasks[rule.task]):
                said = f"these are not the labels of the task {rule.task!r}: it stays unknown"
                hint = f"write {', '.join(tasks[rule.task])}"
                yield Finding((index, "labels"), said, hint, "warning")

    @classmethod
    def numbers(
        cls, rules: Sequence[ClassifierRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        names = [f"{rule.name}:{label}" for rule in rules for label in rule.labels]
        return {name: Number(name, UNIT) for name in names}

    def not_run(self) -> tuple[str, ...]:
        return self.idle(self.rules, {})

    def more(self, request: Request) -> float:
        return of_pieces((request.text,))

    async def evaluate(self, request: Request) -> Reading:
        if not self._local or not request.text.strip():
            return Reading()
        try:
            labels = self._inference.labels(TEXT_SIGNALS)
            unread = self._refusals(request.text)
            able = [r for r in self._local if r.name not in unread and self._fits(r, labels)]
            tasks = sorted({rule.task for rule in able})
            cut = pieces(request.text)
            (answer,) = await ask(self._inference, [cut], tasks) if tasks else (Answer((), False),)
            if answer.illegible:
                raise refusal(TEXT_SIGNALS)
        except InferenceError as error:
            return await self.fallback(request, error.code)
        return self._read(able, answer, unread)

    async def fallback(self, request: Request, reason: str) -> Reading:
        why = REASONS.get(reason, FAILED)
        return Reading(unknown={rule.name: why for rule in self._local})

    def _refusals(self, text: str) -> dict[str, str]:
        gates = ((name, gate) for name, gate in self._gates.items() if gate)
        return {name: why for name, gate in gates if (why := gate.refusal(text))}

    def _read(
        self, able: Sequence[ClassifierRule], answer: Answer, unread: Mapping[str, str]
    ) -> Reading:
        matches: dict[str, float | None] = {}
        values: dict[str, float] = {}
        # A task that finds entities has labels too, and no probability of them.
        able = [
            rule
            for rule in able
            if all(rule.task in part.said.probabilities for part in answer.parts)
        ]
        unknown = {r.name: unread.get(r.name, FAILED) for r in self._local if r not in able}
        for rule in able:
            shares = [part.said.probabilities[rule.task] for part in answer.parts]
            highest = {label: max(one[label] for one in shares) for label in rule.labels}
            best = max(highest, key=lambda label: highest[label])
            matches[f"{rule.name}:{best}"] = highest[best]
            values |= {f"{rule.name}:{label}": score for label, score in highest.items()}
        return Reading(matches, values, unknown, answer.truncated)

    def _fits(self, rule: ClassifierRule, labels: Mapping[str, Collection[str]]) -> bool:
        if set(labels.get(rule.task, ())) == set(rule.labels):
            return True
        if rule.name not in self._told:
            self._told.add(rule.name)
            known = labels.get(rule.task)
            said = (
                f"has the labels {', '.join(known)}" if known else f"is no task of {TEXT_SIGNALS}"
            )
            logger.error("classifier rule %s: %r %s", rule.name, rule.task, said)
        return False


def _tasks() -> dict[str, tuple[str, ...]]:
    """What the other families read."""
    families = [SIGNALS[family] for family in SIGNALS.names()]
    return {task: labels for one in families for task, labels in one.tasks.items()}


def _plain(word: str) -> str:
    if ":" in word:
        raise ValueError(f"{word!r} must not contain ':', which separates name and label")
    return word
