"""All that the families ask about one text at one moment can travel as one request."""

import asyncio

import pytest

from orchestrator import signals
from orchestrator.inference import Classification
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS, Surroundings
from orchestrator.types import Request

ROWS = {
    "domain": {"name": "law"},
    "fact_check": {"name": "needs_fact_check"},
    "user_feedback": {"name": "wrong_answer"},
    "modality": {"name": "BOTH"},
    "jailbreak": {
        "name": "attack",
        "method": "hybrid",
        "jailbreak_patterns": ["ignore all rules"],
        "benign_patterns": ["which rules apply"],
    },
    "pii": {"name": "personal"},
    "classifier": {
        "name": "tone",
        "type": "local",
        "model_path": "tone",
        "labels": ["CALM", "ANGRY"],
    },
}
REQUEST = Request("auto", "text", "text", has_assistant_reply=True)


class Counter:
    """Never answers; notes in which turn of the event loop it is asked."""

    def __init__(self):
        self.asked = []

    async def embed(self, model, texts):
        await asyncio.Event().wait()

    async def classify(self, model, texts, tasks):
        self.asked.append((tuple(texts), tuple(tasks)))
        await asyncio.Event().wait()
        return [Classification({}, {}) for _ in texts]

    def labels(self, model):
        return {"tone": ("CALM", "ANGRY")}

    def languages(self, model):
        return {}


@pytest.mark.parametrize("family", ROWS)
async def test_a_family_asks_before_it_waits(family):
    discover(signals)
    kind, inference = SIGNALS[family], Counter()
    rule = kind.Rule.model_validate(ROWS[family])
    signal = kind([rule], Surroundings(inference, {"modality": {"enabled": True}}))

    task = asyncio.create_task(signal.evaluate(REQUEST))
    await asyncio.sleep(0)
    asked = list(inference.asked)
    task.cancel()
    await asyncio.wait([task])

    assert asked == [(("text",), tuple(kind.tasks) or ("tone",))]
