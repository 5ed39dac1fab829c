"""Signals that answer what they are told to, or do what they are told to."""

import asyncio
from collections.abc import Callable

from orchestrator.evaluation import LONG_TEXT
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Heuristic, Inferred, Rule, Signal, Surroundings
from orchestrator.types import Reading, Request

SURROUNDINGS = Surroundings(FakeInference())
SECRET = "the prompt, which no log may quote"
REQUEST = Request("auto", SECRET)
LONG = Request("auto", "x" * (LONG_TEXT + 1))


def rules(*names: str) -> list[Rule]:
    return [Rule(name=name) for name in names]


class Words(Heuristic[Rule]):
    """Answers what it is told to, or does what it is told to."""

    Rule = Rule
    section = results = "words"

    def __init__(self, answer: Callable[[Request], Reading], *names: str) -> None:
        super().__init__(rules(*names), SURROUNDINGS)
        self.answer = answer
        self.calls = 0

    def evaluate(self, request: Request) -> Reading:
        self.calls += 1
        return self.answer(request)


class Model(Inferred[Rule]):
    Rule = Rule
    section = results = "model"

    def __init__(self, answer, *names: str) -> None:
        super().__init__(rules(*names), SURROUNDINGS)
        self.answer = answer
        self.cancelled = asyncio.Event()

    async def evaluate(self, request: Request) -> Reading:
        try:
            return await self.answer(request)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


class Levels(Model):
    @classmethod
    def leaves(cls, rules):
        return {f"{rule.name}:{level}": rule.name for rule in rules for level in ("easy", "hard")}


class TopOne(Model):
    def settle(self, reading: Reading) -> Reading:
        best = max(reading.matches, key=lambda name: reading.matches[name] or 0.0)
        return Reading({best: reading.matches[best]}, reading.values, reading.unknown)


class Idle(Signal[Rule]):
    Rule = Rule
    runs = False
    section = results = "idle"


def says(**matches: float | None) -> Callable[[Request], Reading]:
    return lambda request: Reading(matches)


def fails(error: Exception) -> Callable[[Request], Reading]:
    def answer(request: Request) -> Reading:
        raise error

    return answer


def later(answer: Callable[[Request], Reading]):
    async def wait(request: Request) -> Reading:
        await asyncio.sleep(0)
        return answer(request)

    return wait


async def forever(request: Request) -> Reading:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")
