"""What a Gathering asks, scripted: which rows travel together, and when."""

import asyncio

import numpy as np

from orchestrator.inference import Classification, Seen
from orchestrator.inference.answers import Answer
from orchestrator.inference.gathering import TURNS
from tests.inference.fake_models import vector

LABELS = {"domain": ("art", "law"), "guard": ("fine", "danger"), "pii": ("AGE",)}


class Source:
    """Answers each row with what it says; `gate` holds answers back."""

    def __init__(self, failure=None):
        self.failure = failure
        self.requests = []
        self.looks = []
        self.patience = {}
        self.cancelled = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.entered = asyncio.Event()

    async def ask(self, model, rows):
        asked = [(row.text.decode(), row.tasks, row.embeds) for row in rows]
        self.requests.append((model, asked))
        self.patience |= {row.text.decode(): row.patience for row in rows}
        self.entered.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append([text for text, *_ in asked])
            raise
        if self.failure is not None:
            raise self.failure
        return [answer_of(row) for row in rows]

    async def look(self, model, picture, patience):
        self.looks.append((model, picture, patience))
        self.entered.set()
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return Seen(vector(picture)[None], np.array([0.75], np.float32), 0.25)

    async def embed(self, model, texts):
        assert list(texts) == []
        return np.empty((0, 4), np.float32)

    def labels(self, model):
        return LABELS

    def languages(self, model):
        return {}


def answer_of(row):
    share = len(row.text) / (len(row.text) + 1)
    said = Classification(
        {task: {"share": share} for task in row.tasks - {"pii"}},
        {task: () for task in row.tasks & {"pii"}},
        windows=len(row.text),
        truncated=row.text.startswith(b"cut"),
    )
    return Answer(vector(row.text) if row.embeds else None, said)


def texts_of(source):
    return [[text for text, *_ in rows] for _, rows in source.requests]


async def turns(count=2 * TURNS):
    """Let the event loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)
