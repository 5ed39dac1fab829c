"""Embedding rules, and a model that knows some phrases."""

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from orchestrator.types import Request
from tests.circle import circle

# Phrases on the unit circle, so that a score is the cosine of the angle between two of them.
ANGLES = {
    "cannot log in": 0,
    "password lost": 90,
    "refund please": 180,
    "login broken": 20,
    "login odd": 50,
    "login far": 70,
    "between both": 45,
}


def knowing():
    return FakeInference({text: circle(angle) for text, angle in ANGLES.items()})


def embedding(inference, *rows, **settings):
    rules = [EmbeddingRule.model_validate(row) for row in rows]
    return Embedding(rules, Surroundings(inference, {"embedding": settings}))


def rule(name, *candidates, threshold=0.9, **more):
    return {"name": name, "threshold": threshold, "candidates": list(candidates)} | more


def ask(text):
    return Request("auto", text)
