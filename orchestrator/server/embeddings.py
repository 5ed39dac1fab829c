"""POST /api/v1/embeddings, /api/v1/similarity and /api/v1/similarity/batch.

Texts are read as the signals read them: of a long one, a sample. There is one encoder of texts, so
that what chooses between encoders is checked and then has no effect; where a body has images, it is
the one that texts and pictures share (`mixed_embeddings.py`).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from aiohttp import web

from orchestrator.config.images import Images
from orchestrator.errors import InferenceError, RequestError, Unavailable
from orchestrator.inference import Embeddings
from orchestrator.inference.examples import MODEL, MOST_BYTES
from orchestrator.inference.pacing import Paced
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.unreadable import missing
from orchestrator.matching.samples import sample
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.classify_shapes import Json, milliseconds
from orchestrator.server.management import Endpoint, json_response, read_json
from orchestrator.server.mixed_embeddings import Mixed, places
from orchestrator.server.unavailable import Serve, patient, unreadable

UNAVAILABLE = "EMBEDDING_MODEL_UNAVAILABLE"
NOT_LOADED = (
    f"no model that embeds is loaded, because no rule of the policy asks {MODEL} or "
    f"{TEXT_SIGNALS}: add a rule to routing.signals.embeddings"
)
NAMES = ("", "auto", MODEL, "all-MiniLM-L6-v2")  # all of them the same
# Of the default models, never trained to be cut; the answers of another one tell its own.
DIMENSION = 384

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Read:
    model: str  # that they come from
    vectors: Embeddings
    cut: Sequence[bool]  # a sample of the text was read
    seconds: float


class Embeds:
    """The handlers, and where they are mounted. `serve` gives the model plane in force, `images`
    say which pictures are read. `encoder` is the model that embeds, if it is loaded.
    """

    def __init__(self, serve: Serve, images: Images | None = None, encoder: str = MODEL) -> None:
        self._serve = serve
        self._encoder = encoder
        self._mixed = Mixed(UNAVAILABLE, images or Images())

    def endpoints(self) -> list[Endpoint]:
        table: list[tuple[str, str, Callable[[Body], Awaitable[Json]]]] = [
            ("embeddings", "The embedding of each text and picture", self.embeddings),
            ("similarity", "How close two texts are in meaning", self.similarity),
            ("similarity/batch", "The candidates closest to a query", self.closest),
        ]
        return [
            Endpoint("POST", f"/api/v1/{name}", "classify.invoke", summary, _handler(answer))
            for name, summary, answer in table
        ]

    async def embeddings(self, body: Body) -> Json:
        given = bodies.parsed(bodies.Embed, body)
        if not given.texts and not given.images:
            raise RequestError("texts: there must be a text, or one of images", "texts")
        started = time.perf_counter()
        if given.images:
            rows = await self._mixed.rows(self._serve(), given)
        else:
            rows = _rows(given.texts, await self._read(given, places(given.texts)))
        seconds = time.perf_counter() - started
        each = milliseconds(seconds / len(rows))
        return {
            "embeddings": [{**row, "processing_time_ms": each} for row in rows],
            "total_count": len(rows),
            "total_processing_time_ms": milliseconds(seconds),
            "avg_processing_time_ms": each,
        }

    async def similarity(self, body: Body) -> Json:
        given = bodies.parsed(bodies.Similarity, body)
        read = await self._read(given, {"text1": given.text1, "text2": given.text2})
        (similarity,) = _cosines(read.vectors)
        return {
            "similarity": similarity,
            "model_used": read.model,
            "processing_time_ms": milliseconds(read.seconds),
        }

    async def closest(self, body: Body) -> Json:
        given = bodies.parsed(bodies.SimilarityBatch, body)
        read = await self._read(
            given, {"query": given.query, **places(given.candidates, "candidates")}
        )
        cosines = _cosines(read.vectors)
        order = sorted(range(len(cosines)), key=lambda at: -cosines[at])  # ties: the first given
        best = order[: given.top_k or len(order)]
        return {
            "matches": [
                {"index": at, "text": given.candidates[at], "similarity": cosines[at]}
                for at in best
            ],
            "total_candidates": len(cosines),
            "model_used": read.model,
            "processing_time_ms": milliseconds(read.seconds),
        }

    async def _read(self, given: bodies.Encoder, texts: Mapping[str, str]) -> _Read:
        """Of texts by their place in the body. Raises RequestError for an encoder that there is
        not, or for texts that cannot be read, and Unavailable."""
        _check(given, (*NAMES, self._encoder))
        served = self._serve()
        model = next((one for one in (MODEL, TEXT_SIGNALS) if one in served.models), None)
        if model is None:
            raise Unavailable(UNAVAILABLE, NOT_LOADED)
        answering = served.answering(model)
        default = answering in (MODEL, TEXT_SIGNALS)
        if default:
            _check_dimension(given, answering, DIMENSION)
        started = time.perf_counter()
        samples = [sample(text, MOST_BYTES) for text in texts.values()]
        asked = texts.values()
        async with patient(served, UNAVAILABLE, "the model that embeds", asked) as inference:
            vectors = await Paced(inference).embed(model, [text for text, _ in samples])
            if rows := missing(vectors):
                raise unreadable([*texts][row] for row in rows)
            if default and vectors.shape[1] != DIMENSION:
                raise InferenceError(f"{model}: its embeddings have {vectors.shape[1]} numbers")
            _check_dimension(given, answering, vectors.shape[1])
        seconds, cut = time.perf_counter() - started, [cut for _, cut in samples]
        return _Read(answering, vectors, cut, seconds)


def _check(given: bodies.Encoder, names: Sequence[str]) -> None:
    """Raises RequestError."""
    if given.model not in names:
        known = ", ".join(dict.fromkeys(name for name in names if name))
        raise RequestError(f"model: not available; the names are: {known}", "model")
    if given.target_layer:
        said = "target_layer: not available; every layer of the model is run"
        raise RequestError(said, "target_layer")


def _check_dimension(given: bodies.Encoder, model: str, there: int) -> None:
    if given.dimension not in (0, there):
        said = f"dimension: {given.dimension} is not available; {model} gives {there}"
        raise RequestError(said, "dimension")


def _rows(texts: Sequence[str], read: _Read) -> list[Json]:
    return [
        {
            "text": text,
            "embedding": vector.tolist(),
            "dimension": len(vector),
            "model_used": read.model,
            **({"truncated": True} if cut else {}),
        }
        for text, vector, cut in zip(texts, read.vectors, read.cut, strict=True)
    ]


def _cosines(vectors: Embeddings) -> list[float]:
    """Of the first, which like all has the length 1, with each of the others."""
    cosines: list[float] = np.clip(vectors[1:] @ vectors[0], -1.0, 1.0).tolist()
    return cosines


def _handler(answer: Callable[[Body], Awaitable[Json]]) -> Callable[..., Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        return json_response(await answer(await read_json(request)))

    return handle
