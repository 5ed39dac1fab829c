"""embedding -- the text means about the same as a rule's example phrases.

Text rules only: a rule with `query_modality: image` is accepted, named by `not_run` and never
matches. Thresholds belong to the embedding model they were set for; another model, other scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from orchestrator.errors import ConfigError, InferenceError, Problem
from orchestrator.inference.attempt import Attempt
from orchestrator.matching.prototypes import Scoring, Stack, Vectors, build
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

MODEL = "text_embedding"  # its name in model_repository/

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


class Settings(BaseModel):
    """What tunes all rules together; the block's other keys choose the model and are not ours."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    enable_soft_matching: bool = True
    min_score_threshold: float = Field(default=0.5, ge=0, le=1)  # 0 means the default
    top_k: int = Field(default=1, ge=0)  # 0: no limit
    prototype_scoring: Scoring = Scoring()

    @field_validator("min_score_threshold")
    @classmethod
    def zero_is_default(cls, value: float) -> float:
        return value or 0.5


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
        self._banks = Attempt("embedding candidates", self._embed_candidates)

    def not_run(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules if rule.query_modality != "text")

    async def prepare(self) -> None:
        if self._text_rules:
            await self._banks.start()

    async def evaluate(self, request: Request) -> Reading:
        text = request.window
        if not self._text_rules or not text.strip():
            return Reading()
        stack = await self._banks.value()
        query = (await self._inference.embed(MODEL, [text]))[0]
        if len(query) != stack.dimension:
            self._banks.forget()
            raise InferenceError(
                f"{MODEL} now answers with {len(query)} numbers and not {stack.dimension}"
            )
        return self._read(stack, query)

    def settle(self, reading: Reading) -> Reading:
        """Keep the `top_k` best matches; equal scores fall to the name."""
        best = sorted(reading.matches.items(), key=lambda match: (-(match[1] or 0.0), match[0]))
        kept = best[: self._settings.top_k or None]
        return Reading(dict(kept), reading.values, reading.unknown)

    def _read(self, stack: Stack, query: Vectors) -> Reading:
        values: dict[str, float] = {}
        hard: dict[str, float] = {}
        soft: dict[str, float] = {}
        for rule, found in zip(self._text_rules, stack.score(query), strict=True):
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

    async def _embed_candidates(self) -> Stack:
        texts = list(dict.fromkeys(c for rule in self._text_rules for c in rule.candidates))
        rows = await self._inference.embed(MODEL, texts)
        row_of = {text: row for row, text in enumerate(texts)}
        return Stack(
            [
                build(
                    rule.candidates,
                    rows[[row_of[text] for text in rule.candidates]],
                    self._settings.prototype_scoring,
                    average=rule.aggregation_method == "mean",
                )
                for rule in self._text_rules
            ]
        )


def _settings(surroundings: Surroundings) -> Settings:
    try:
        return Settings.model_validate(surroundings.settings.get("embedding", {}))
    except ValidationError as error:
        problems = tuple(
            Problem(".".join(("global", *Embedding.settings, *map(str, one["loc"]))), one["msg"])
            for one in error.errors()
        )
        raise ConfigError("the embedding settings cannot be used", problems) from None
