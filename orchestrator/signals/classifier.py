"""classifier -- the operator's own model or prompt, read label by label (spec/signals.md 2.20)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from orchestrator.config.problems import Finding, unknown
from orchestrator.config.schema import Config
from orchestrator.signals import SIGNALS, Declared, Rule, RuleName

ROLE = "classification"  # model_role of the external models that a rule may prompt


class ClassifierRule(Rule):
    """One row of routing.signals.classifiers: a local sequence classifier or a prompted LLM."""

    type: Literal["local", "llm"]
    labels: tuple[RuleName, ...] = Field(min_length=1)
    model_path: RuleName | None = None  # local
    use_cpu: bool | None = None  # local
    model: RuleName | None = None  # llm: a name in global.model_catalog.external
    instructions: RuleName | None = None  # llm: what to decide, in words

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
                self._require({"model", "instructions"}, refused={"model_path"})
        return self

    def _require(self, needed: set[str], *, refused: set[str]) -> None:
        given = set(self.model_dump(exclude_none=True))
        if missing := sorted(needed - given):
            raise ValueError(f"type {self.type} needs {' and '.join(missing)}")
        if extra := sorted(refused & given):
            raise ValueError(f"type {self.type} takes no {' or '.join(extra)}")


@SIGNALS.register("classifier")
class Classifier(Declared[ClassifierRule]):
    Rule = ClassifierRule
    section = "classifiers"
    results = "classifier"
    labelled = True
    composable = False

    @classmethod
    def labels(cls, rules: Sequence[ClassifierRule]) -> dict[str, tuple[str, ...]]:
        return {rule.name: rule.labels for rule in rules}

    @classmethod
    def check(
        cls, rules: Sequence[ClassifierRule], config: Config, names: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """A prompted model is one of those in the catalogue that classify."""
        external = config.global_.model_catalog.external
        able = [model.name for model in external if model.model_role == ROLE]
        for index, rule in enumerate(rules):
            if rule.model is not None and rule.model not in able:
                kind = f"external model of the role {ROLE}"
                yield unknown(kind, rule.model, able, (index, "model"))


def _plain(word: str) -> str:
    if ":" in word:
        raise ValueError(f"{word!r} must not contain ':', which separates name and label")
    return word
