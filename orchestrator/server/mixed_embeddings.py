"""Pictures of POST /api/v1/embeddings, and texts beside them, in the one space that both share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from orchestrator.config.images import Images
from orchestrator.errors import ImageRefused, RequestError, Unavailable, UnreadableImage
from orchestrator.inference import Embeddings, Inference, Seen
from orchestrator.inference.examples import MOST_BYTES
from orchestrator.inference.pacing import Paced, together
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.inference.unreadable import missing
from orchestrator.matching.data_uris import Limits, PictureRefused, decode
from orchestrator.matching.samples import sample
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.classify_shapes import Json
from orchestrator.server.unavailable import Served, patient, unreadable

MODEL = "the model that sees pictures"
NOT_LOADED = (
    f"{MODEL} ({IMAGE_SIGNALS}) is not loaded, because no rule of the policy asks it: add a rule "
    "with query_modality: image to routing.signals.embeddings"
)
NAMES = ("", "auto", "multimodal", IMAGE_SIGNALS)  # all of them the same


@dataclass(frozen=True, slots=True)
class Mixed:
    """Answers bodies that have images. `reason` is the error code where the model is away."""

    reason: str
    settings: Images = Images()

    async def rows(self, served: Served, given: bodies.Embed) -> list[Json]:
        """Of the texts, then of the pictures, without times.

        Raises RequestError for a wrong field or a picture that is not read, Unavailable.
        """
        _check(given)
        pictures = await asyncio.to_thread(self._decoded, given.images)  # some take long
        if not {IMAGE_SIGNALS, IMAGE_TEXT} <= set(served.models):
            raise Unavailable(self.reason, NOT_LOADED)
        samples = [sample(text, MOST_BYTES) for text in given.texts]
        async with patient(served, self.reason, MODEL, given.texts) as inference:
            texts: Sequence[Embeddings] = ()
            if samples:
                asked = [text for text, _ in samples]
                embedded = await Paced(inference).embed(IMAGE_TEXT, asked)
                if rows := missing(embedded):
                    raise unreadable([*places(given.texts)][row] for row in rows)
                texts = [*embedded]
            seen = await together([_see(inference, *each) for each in enumerate(pictures)])
        vectors = [*texts, *(one.embeddings[0] for one in seen)]
        if given.dimension not in (0, *(len(vector) for vector in vectors)):
            said = f"{given.dimension} is not available; {IMAGE_SIGNALS} gives {len(vectors[0])}"
            raise RequestError(f"dimension: {said}", "dimension")
        return [
            *map(_of_text, given.texts, texts, samples, repeat(served.answering(IMAGE_TEXT))),
            *map(_of_picture, seen),
        ]

    def _decoded(self, images: Sequence[str]) -> list[bytes]:
        limits = Limits(self.settings.max_bytes, self.settings.max_pixels)
        found = []
        for at, uri in enumerate(images):
            try:
                found.append(decode(uri, limits).data)
            except PictureRefused as error:
                raise _refused(at, error) from None
        return found


def places(texts: Sequence[str], field: str = "texts") -> dict[str, str]:
    """Texts by their place in a body."""
    return {f"{field}[{at}]": text for at, text in enumerate(texts)}


def _check(given: bodies.Embed) -> None:
    if given.model not in NAMES:
        known = ", ".join(name for name in NAMES if name)
        said = f"model: not available with images; the names are: {known}"
        raise RequestError(said, "model")
    if given.target_layer:
        said = "target_layer: not available; every layer of the model is run"
        raise RequestError(said, "target_layer")


async def _see(inference: Inference, at: int, picture: bytes) -> Seen:
    try:
        return await inference.see(IMAGE_SIGNALS, [picture])
    except ImageRefused as error:
        raise _refused(at, error) from None


def _refused(at: int, error: Exception) -> UnreadableImage:
    return UnreadableImage(f"images[{at}]: the picture is {error}", f"images[{at}]")


def _of_text(text: str, vector: Embeddings, sampled: tuple[str, bool], model: str) -> Json:
    _, cut = sampled
    row = {"text": text, "modality": "text", **_vector(vector), "model_used": model}
    return {**row, "truncated": True} if cut else row


def _of_picture(seen: Seen) -> Json:
    known = float(seen.known[0])
    return {
        "modality": "image",
        **_vector(seen.embeddings[0]),
        "model_used": IMAGE_SIGNALS,
        "known": known,
        "familiar": known >= seen.floor,
    }


def _vector(vector: Embeddings) -> Json:
    return {"embedding": vector.tolist(), "dimension": len(vector)}
