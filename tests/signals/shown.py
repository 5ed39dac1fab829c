"""Embedding rules of pictures, and models that know some pictures and phrases."""

from orchestrator.config.images import Images
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from orchestrator.types import Request
from tests.circle import circle
from tests.matching.encoded import png, uri

# Phrases and pictures on the unit circle: a score is the cosine of the angle between two of them.
ANGLES = {"a passport": 0, "an identity card": 20, "a terminal": 90, "help": 45, "a question": 50}
PASSPORT, TERMINAL, BETWEEN, CAT = (png(n, n) for n in (1, 2, 3, 4))
SVG = uri(b"<svg/>", "svg+xml")
SEEN = {PASSPORT: 10, TERMINAL: 85, BETWEEN: 45, CAT: 5}


def seeing():
    return FakeInference(
        {text: circle(angle) for text, angle in ANGLES.items()},
        pictures={picture: circle(angle) for picture, angle in SEEN.items()},
        known={CAT: 0.1},
    )


IDENTITY = {
    "name": "identity",
    "threshold": 0.9,
    "candidates": ["a passport", "an identity card"],
    "query_modality": "image",
}
SCREEN = IDENTITY | {"name": "screen", "candidates": ["a terminal"]}
HELP = {"name": "help", "threshold": 0.9, "candidates": ["help"]}


def embedding(inference, *rows, images=None, fetch=None, **settings):
    rules = [EmbeddingRule.model_validate(row) for row in rows]
    given = Surroundings(
        inference,
        {"embedding": {"prototype_scoring": {"best_weight": 1.0}} | settings},
        images=Images.model_validate(images or {}),
        fetch=fetch,
    )
    return Embedding(rules, given)


def showing(*pictures, text="what is this?"):
    written = tuple(uri(one) if isinstance(one, bytes) else one for one in pictures)
    return Request("auto", text, images=written)
