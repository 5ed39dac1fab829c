"""Asks the models about labelled texts, exactly as the signals do.

A guard and a task that finds entities read all pieces of a long text; any other task reads a
sample of it (`inference/questions.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from orchestrator.inference import Entity, Inference
from orchestrator.inference.questions import Answer, ask, topic
from orchestrator.inference.tasks import Task
from orchestrator.matching.disguise import plainly
from orchestrator.matching.personal import Found, Personal
from orchestrator.matching.pieces import Cut, pieces
from orchestrator.signals import jailbreak, pii

BATCH = 16  # texts that one caller asks at once


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one text: probabilities in the order of the task's labels, or entities.

    `alone` is the model's own, where that is told; `united` with what the validators found and
    refuted.
    """

    probabilities: tuple[float, ...] = ()
    alone: tuple[Entity, ...] | None = ()
    united: tuple[Entity, ...] = ()
    truncated: bool = False


Ask = Callable[[Sequence[str]], Awaitable[list[Said]]]  # of each text, in order
Asking = Callable[[str, Task], Ask]  # how a task is asked; the name, and what it answers


class _Formless(Personal):
    """Finds and refutes nothing, so that what the model says stays as it is."""

    def find(self, text: str) -> list[Found]:
        return []

    def valid(self, label: str, text: str) -> bool | None:
        return None


class Asker:
    """Of one task of the models themselves, by its name and what it answers."""

    def __init__(self, inference: Inference, name: str, task: Task) -> None:
        self._inference = inference
        self._name = name
        self._task = task
        self._personal, self._formless = Personal(), _Formless()

    async def ask(self, texts: Sequence[str]) -> list[Said]:
        """Of each text, in order. Raises InferenceError."""
        if not (self._task.spans or self._task.positive):
            return await asyncio.gather(*map(self._topic, texts))
        answers = await ask(self._inference, self._cuts(texts), (self._name,))
        read = self._entities if self._task.spans else self._riskiest
        return [read(text, answer) for text, answer in zip(texts, answers, strict=True)]

    def _cuts(self, texts: Sequence[str]) -> Sequence[Cut]:
        written = [pieces(text) for text in texts]
        if self._name != jailbreak.TASK:
            return written
        plain = plainly(written)  # what is in disguise is read once more
        return [
            replace(one, pieces=(*one.pieces, *more.pieces))
            for one, more in zip(written, plain, strict=True)
        ]

    async def _topic(self, text: str) -> Said:
        said = await topic(self._inference, text, self._name, always=True)
        shares = tuple(said.probabilities[label] for label in self._task.labels)
        return Said(shares, truncated=said.truncated)

    def _riskiest(self, text: str, answer: Answer) -> Said:
        """The piece that says the most counts, as for the signal."""
        columns = [self._task.labels.index(label) for label in self._task.positive]
        shares = [
            tuple(part.said.probabilities[self._name][label] for label in self._task.labels)
            for part in answer.parts
        ]
        worst = max(shares, key=lambda some: sum(some[at] for at in columns))
        return Said(worst, truncated=answer.truncated)

    def _entities(self, text: str, answer: Answer) -> Said:
        if self._name != pii.TASK:
            places = [
                (part.start, one) for part in answer.parts for one in part.said.entities[self._name]
            ]
            own = tuple(
                dict.fromkeys(
                    replace(one, start=start + one.start, stop=start + one.stop)
                    for start, one in places
                )
            )
            return Said(alone=own, united=own, truncated=answer.truncated)
        return Said(
            alone=pii.entities(text, answer, self._formless),
            united=pii.entities(text, answer, self._personal),
            truncated=answer.truncated,
        )


def asking(inference: Inference) -> Asking:
    return lambda name, task: Asker(inference, name, task).ask


async def ask_all(
    ask: Ask,
    texts: Sequence[str],
    concurrency: int,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Said]:
    """Of each text, in order, in batches of which at most `concurrency` are on their way.
    `progress` is told how many texts were answered now."""
    places = asyncio.Semaphore(concurrency)

    async def one(some: Sequence[str]) -> list[Said]:
        async with places:
            answers = await ask(some)
        progress(len(some))
        return answers

    tasks = [asyncio.ensure_future(one(some)) for some in _batches(texts)]
    try:
        return [said for some in await asyncio.gather(*tasks) for said in some]
    finally:
        for task in tasks:
            task.cancel()


async def seconds(
    ask: Ask,
    texts: Sequence[str],
    progress: Callable[[int], None] = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """How long each takes when nothing else is asked."""
    found: list[float] = []
    for text in texts:
        before = clock()
        await ask([text])
        found.append(clock() - before)
        progress(1)
    return found


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(texts), BATCH):
        yield texts[at : at + BATCH]
