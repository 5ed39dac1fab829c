"""embedding -- the text means about the same as a rule's example phrases.

Text rules only: a rule with `query_modality: image` is accepted, named by `not_run` and never
matches. Thresholds belong to the embedding model they were set for; another model, other scores.

The model reads a long text in windows and counts what it cuts. Beyond what it may be sent at all
(`examples.MOST_BYTES`), a sample goes instead, and the reading says `truncated`.

Values of a rule: `rule` is the score that the threshold is compared with; `rule:best` the highest
cosine of the text with one of the rule's prototypes (candidates, or medoids of clusters of them);
`rule:support` the mean of the highest cosines, in as many prototypes as `prototype_scoring.top_m`
says; `rule:prototype_count` how many prototypes there are. Projections and predicates may read
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import (
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from orchestrator.config.catalog import EmbeddingConfig
from orchestrator.errors import ConfigError, Problem
from orchestrator.inference.examples import MODEL, Banks, Examples, compare
from orchestrator.matching.prototypes import Score
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class EmbeddingRule(Rule):
    """One row of routing.signals.embeddings (spec/signals.md 2.2)."""

    threshold: float = Field(ge=0, le=1)
    candidates: tuple[Phrase, ...] = Field(min_length=1)
    aggregation_method: Literal["max", "mean", "any"] = "max"  # any is another word for max
    query_modality: Literal["text", "image"] = "text"

    @field_validator("query_modality", mode="before")
    @classmethod
    def modality(cls, value: object) -> object:
        """Empty means text; audio is a word of the format that no version has ever run."""
        word = value.strip().lower() if isinstance(value, str) else value
        if word == "audio":
            raise ValueError("audio rules are not supported; use text or image")
        return word or "text"


@SIGNALS.register("embedding")
class Embedding(Inferred[EmbeddingRule]):
    Rule = EmbeddingRule
    section = "embeddings"
    results = "embeddings"
    models = (MODEL,)
    contends = True
    settings = ("model_catalog", "embeddings", "semantic", "embedding_config")

    def __init__(self, rules: Sequence[EmbeddingRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = _settings(surroundings)
        self._inference = surroundings.inference
        self._text_rules = tuple(r for r in self.rules if r.query_modality == "text")
        self._banks = Banks(
            surroundings.inference,
            "embedding candidates",
            [
                Examples(
                    rule.candidates,
                    self._settings.prototype_scoring,
                    average=rule.aggregation_method == "mean",
                )
                for rule in self._text_rules
            ],
        )

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule.query_modality != "text")

    async def prepare(self) -> None:
        await self._banks.start()

    async def evaluate(self, request: Request) -> Reading:
        if not self._text_rules or not request.text.strip():
            return Reading()
        found = await compare(self._inference, request.text, [self._banks])
        return replace(self._read(found.scores[0]), truncated=found.truncated)

    def settle(self, reading: Reading) -> Reading:
        """Keep the `top_k` best matches; equal scores fall to the name."""
        best = sorted(reading.matches.items(), key=lambda match: (-(match[1] or 0.0), match[0]))
        kept = best[: self._settings.top_k or None]
        return replace(reading, matches=dict(kept))

    def _read(self, scores: Sequence[Score]) -> Reading:
        values: dict[str, float] = {}
        hard: dict[str, float] = {}
        soft: dict[str, float] = {}
        for rule, found in zip(self._text_rules, scores, strict=True):
            values[rule.name] = found.score
            values[f"{rule.name}:best"] = found.best
            values[f"{rule.name}:support"] = found.support
            values[f"{rule.name}:prototype_count"] = found.prototypes
            if found.score >= rule.threshold:
                hard[rule.name] = found.score
            if found.score >= self._settings.min_score_threshold:
                soft[rule.name] = found.score
        if not hard and self._settings.enable_soft_matching:
            return Reading(soft, values)
        return Reading(hard, values)


def _settings(surroundings: Surroundings) -> EmbeddingConfig:
    try:
        return EmbeddingConfig.model_validate(surroundings.settings.get("embedding", {}))
    except ValidationError as error:
        problems = tuple(
            Problem(".".join(("global", *Embedding.settings, *map(str, one["loc"]))), one["msg"])
            for one in error.errors()
        )
        raise ConfigError("the embedding settings cannot be used", problems) from None
