"""embedding -- the text, or a picture, means about the same as a rule's example phrases.

A rule with `query_modality: image` compares its phrases with the pictures of the user's turns
instead: with the first one, or with the best of several (`global.images.which`). It is not matched
where there is none. It is unknown where a picture is refused or its kind is none that the encoder
knows (`unfamiliar_image`), unless another picture matches; so it is, where any may count, beside
pictures that are not looked at (`pictures_not_seen`): beyond the first eight (`pictures.MOST`),
shown by others than the user, or under URLs that are not fetched. Thresholds belong to the model
they were set for; another model, other scores, and pictures score other than texts do.

The model reads a long text in windows and counts what it cuts. Beyond what it may be sent at all
(`examples.MOST_BYTES`), a sample goes instead, and the reading says `truncated`; so it does where
there are more pictures than are looked at.

Values of a rule: `rule` is the score that the threshold is compared with; `rule:best` the highest
cosine of the text with one of the rule's prototypes (candidates, or medoids of clusters of them);
`rule:support` the mean of the highest cosines, in as many prototypes as `prototype_scoring.top_m`
says; `rule:prototype_count` how many prototypes there are. Of an image rule there is `rule:known`
too: how likely a picture is of a kind that the encoder knows, also where that is too little for the
other values. Projections and predicates may read each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

from orchestrator.claims import Claim, Interval, Number, Reads
from orchestrator.config.catalog import EmbeddingConfig
from orchestrator.config.crowding import Most
from orchestrator.errors import ConfigError, InferenceError, Problem
from orchestrator.inference.examples import MODEL, Banks, Examples, compare
from orchestrator.inference.pictures import attempted
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.matching.prototypes import Score
from orchestrator.signals import SIGNALS, Inferred, Rule, Surroundings
from orchestrator.types import Reading, Request

Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class EmbeddingRule(Rule):
    """One row of routing.signals.embeddings (spec/signals.md 2.2)."""

    threshold: float = Field(ge=0, le=1)
    """Score from which on the rule matches."""
    candidates: tuple[Phrase, ...] = Field(min_length=1)
    """Phrases that the request is compared with."""
    aggregation_method: Literal["max", "mean", "any"] = "max"
    """The best phrase counts, or their mean; any is another word for max."""
    query_modality: Literal["text", "image"] = "text"
    """What of the request is compared."""

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
    models = (MODEL, IMAGE_SIGNALS, IMAGE_TEXT)
    contends = True
    settings = ("model_catalog", "embeddings", "semantic", "embedding_config")

    def __init__(self, rules: Sequence[EmbeddingRule], surroundings: Surroundings) -> None:
        super().__init__(rules, surroundings)
        self._settings = _settings(surroundings)
        self._inference = surroundings.inference
        self._pictures = surroundings.pictures()
        self._text_rules = tuple(r for r in self.rules if r.query_modality == "text")
        self._image_rules = tuple(r for r in self.rules if r.query_modality == "image")
        self._banks = Banks(
            self._inference, "embedding candidates", self._examples(self._text_rules)
        )
        self._image_banks = Banks(
            self._inference,
            "candidates of image rules",
            self._examples(self._image_rules),
            model=IMAGE_TEXT,
            dimension=self._settings.target_dimension,
        )

    @classmethod
    def asks(cls, rules: Sequence[EmbeddingRule], settings: Mapping[str, Any]) -> tuple[str, ...]:
        modalities = {rule.query_modality for rule in rules}
        texts = (MODEL,) if "text" in modalities else ()
        return texts + ((IMAGE_SIGNALS, IMAGE_TEXT) if "image" in modalities else ())

    @classmethod
    def most(cls, settings: Mapping[str, Any]) -> Most | None:
        """Of texts and pictures together: see `settle`."""
        kept = settings.get("top_k", 0)
        return Most(kept, ".".join(("global", *cls.settings, "top_k"))) if kept else None

    @classmethod
    def claims(cls, rules: Sequence[EmbeddingRule], settings: Mapping[str, Any]) -> Iterator[Claim]:
        tuning = EmbeddingConfig.model_validate(settings)
        least = tuning.min_score_threshold if tuning.enable_soft_matching else 1.0
        for rule in rules:
            number = Number(rule.name, Interval(-1.0, 1.0), label=f"the score of {rule.name}")
            yield Reads(rule.name, number, Interval.of(gte=min(rule.threshold, least)))

    @classmethod
    def numbers(
        cls, rules: Sequence[EmbeddingRule], settings: Mapping[str, Any]
    ) -> Mapping[str, Number | None]:
        return {rule.name: Number(rule.name, Interval(-1.0, 1.0)) for rule in rules}

    async def prepare(self) -> None:
        await asyncio.gather(self._banks.start(), self._image_banks.start())

    def wait(self, request: Request) -> float:
        return self._pictures.wait(request) if self._image_rules else 0.0

    async def evaluate(self, request: Request) -> Reading:
        if not self._image_rules or not self._pictures.shown(request):
            return await self._of_text(request)
        # In a task of its own: the text's question leaves with those of the other families.
        looking = asyncio.ensure_future(self._of_pictures(request))
        try:
            text = await attempted(self._of_text(request))
            seen = await looking
        finally:
            looking.cancel()
        if isinstance(text, InferenceError):
            text = Reading(unknown=_all(self._text_rules, text.code))
        return Reading(
            {**text.matches, **seen.matches},
            {**text.values, **seen.values},
            {**text.unknown, **seen.unknown},
            truncated=text.truncated or seen.truncated,
        )

    def settle(self, reading: Reading) -> Reading:
        """Keep the `top_k` best matches, of text and pictures together (spec/signals.md 2.2); equal
        scores fall to the name."""
        best = sorted(reading.matches.items(), key=lambda match: (-(match[1] or 0.0), match[0]))
        kept = best[: self._settings.top_k or None]
        return replace(reading, matches=dict(kept))

    async def _of_text(self, request: Request) -> Reading:
        if not self._text_rules or not request.text.strip():
            return Reading()
        found = await compare(self._inference, request.text, [self._banks])
        soft = self._settings.enable_soft_matching
        reading = self._read(self._text_rules, found.scores[0], soft=soft)
        return replace(reading, truncated=found.truncated)

    async def _of_pictures(self, request: Request) -> Reading:
        """Raises UnreadableImage."""
        views = await self._pictures.views(request)
        found = Reading()
        if vectors := views.vectors:
            try:
                scores = await self._image_banks.against(vectors)
            except InferenceError as error:
                return Reading(unknown=_all(self._image_rules, error.code), truncated=views.cut)
            best = [max(each, key=lambda score: score.score) for each in zip(*scores, strict=True)]
            # A picture of which nothing is known might match: no softer match stands in for it.
            soft = self._settings.enable_soft_matching and not views.reason
            found = self._read(self._image_rules, best, soft=soft)
        unsure = [rule for rule in self._image_rules if rule.name not in found.matches]
        known = {f"{rule.name}:known": views.known for rule in self._image_rules}
        return Reading(
            found.matches,
            {**found.values, **{key: one for key, one in known.items() if one is not None}},
            _all(unsure, views.reason) if views.reason else {},
            truncated=views.cut,
        )

    def _examples(self, rules: Sequence[EmbeddingRule]) -> list[Examples]:
        scoring = self._settings.prototype_scoring
        return [
            Examples(rule.candidates, scoring, average=rule.aggregation_method == "mean")
            for rule in rules
        ]

    def _read(
        self, rules: Sequence[EmbeddingRule], scores: Sequence[Score], *, soft: bool
    ) -> Reading:
        """`soft`: where no rule reaches its threshold, the best that come near match instead."""
        values: dict[str, float] = {}
        hard: dict[str, float] = {}
        near: dict[str, float] = {}
        for rule, found in zip(rules, scores, strict=True):
            values[rule.name] = found.score
            values[f"{rule.name}:best"] = found.best
            values[f"{rule.name}:support"] = found.support
            values[f"{rule.name}:prototype_count"] = found.prototypes
            if found.score >= rule.threshold:
                hard[rule.name] = found.score
            if found.score >= self._settings.min_score_threshold:
                near[rule.name] = found.score
        return Reading(near if soft and not hard else hard, values)


def _all(rules: Sequence[EmbeddingRule], reason: str) -> dict[str, str]:
    return {rule.name: reason for rule in rules}


def _settings(surroundings: Surroundings) -> EmbeddingConfig:
    try:
        return EmbeddingConfig.model_validate(surroundings.settings.get("embedding", {}))
    except ValidationError as error:
        problems = tuple(
            Problem(".".join(("global", *Embedding.settings, *map(str, one["loc"]))), one["msg"])
            for one in error.errors()
        )
        raise ConfigError("the embedding settings cannot be used", problems) from None
