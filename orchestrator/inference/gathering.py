"""One question for each text, however many callers ask.

The families of a request begin in the same iteration of the event loop, and each asks for its own
tasks. What is asked at one moment, by all requests together, leaves as the rows of few requests to
the model server; a text that several ask about is one row with all their tasks. Who asks what is on
its way already waits for that answer.

A picture is a request of its own, shared in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from typing import NamedTuple, Protocol

from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference import MAX_BYTES, Classification, Embeddings, Inference, Seen
from orchestrator.inference.answers import Answer, legible
from orchestrator.inference.pacing import together
from orchestrator.inference.rows import MOST_BYTES, MOST_ROWS, Row, encode
from orchestrator.inference.sharing import Shared
from orchestrator.inference.sights import joined
from orchestrator.inference.tasks import check_tasks

# Iterations of the event loop that a moment lasts, without any waiting in between: a signal that
# looks at what it has prepared, in tasks of its own, asks some three iterations after the others.
TURNS = 6


class Source(Inference, Protocol):
    async def ask(self, model: str, rows: Sequence[Row]) -> list[Answer]:
        """One answer for each row, in order; raises as `embed` does."""
        ...

    async def look(self, model: str, picture: bytes, patience: float) -> Seen:
        """At one picture; raises as `see` does. For the patience see Row."""
        ...


class _Wanted(NamedTuple):
    tasks: frozenset[str]
    embeds: bool
    patience: float  # see Row


class _Flight:
    """A text on its way, or about to leave. `request` is None until it leaves."""

    def __init__(self, model: str, text: str, encoded: bytes) -> None:
        self.key = model, text
        self.encoded = encoded
        self.tasks: frozenset[str] = frozenset()
        self.embeds = False
        self.patience = 0.0
        self.callers = 0
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.request: _Request | None = None

    def covers(self, wanted: _Wanted) -> bool:
        enough = wanted.tasks <= self.tasks and wanted.embeds <= self.embeds
        return enough and wanted.patience <= self.patience

    def add(self, wanted: _Wanted) -> None:
        self.tasks |= wanted.tasks
        self.embeds |= wanted.embeds
        self.patience = max(self.patience, wanted.patience)


class _Request:
    def __init__(self, flights: Sequence[_Flight], task: asyncio.Task[list[Answer]]) -> None:
        self.flights = flights
        self.task = task


class Gathering:
    """`Inference` over a source. `models`: model -> the one that answers in its place, whatever is
    asked; `stand_ins`: of the latter, the one that embeds in its place.
    """

    def __init__(
        self,
        source: Source,
        *,
        stand_ins: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._source = source
        self._stand_ins = stand_ins or {}
        self._models = models or {}
        self._max_bytes = max_bytes
        self._patience = 0.0  # see Row
        self._waiting: dict[tuple[str, str], _Flight] = {}  # leave when the moment is over
        self._flying: dict[tuple[str, str], list[_Flight]] = {}
        self._pictures: Shared[tuple[str, bytes, float], Seen] = Shared()

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `Inference.embed`."""
        model = self._models.get(model, model)
        model = self._stand_ins.get(model, model)
        if not texts:
            return await self._source.embed(model, texts)
        wanted = _Wanted(frozenset(), True, self._patience)
        return legible(model, await self._answers(model, texts, wanted))

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        """See `Inference.classify`."""
        model = self._models.get(model, model)
        check_tasks(model, tasks, self._source.labels(model))
        wanted = _Wanted(frozenset(tasks), False, self._patience)
        answers = await self._answers(model, texts, wanted)
        return [_only(wanted.tasks, answer.said) for answer in answers]

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        """See `Inference.see`."""
        return joined(model, await together([self._look(model, one) for one in pictures]))

    async def _look(self, model: str, picture: bytes) -> Seen:
        model = self._models.get(model, model)
        look = partial(self._source.look, model, picture, self._patience)
        return await self._pictures.get((model, picture, self._patience), look)

    def unhurried(self, seconds: float) -> Gathering:
        """See `Unhurried`."""
        patient = copy(self)  # what waits and what is on its way stays the same objects
        patient._patience = seconds
        return patient

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.labels`."""
        return self._source.labels(self._models.get(model, model))

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.languages`."""
        return self._source.languages(self._models.get(model, model))

    async def _answers(self, model: str, texts: Sequence[str], wanted: _Wanted) -> list[Answer]:
        if not texts:
            return []
        # Encoded first: a text that is too long fails its caller before anything is asked.
        encoded = {text: encode(model, text, self._max_bytes) for text in texts}
        flights = {text: self._join(model, text, raw, wanted) for text, raw in encoded.items()}
        try:
            await asyncio.wait(
                [flight.answer for flight in flights.values()], return_when=asyncio.FIRST_EXCEPTION
            )
            _raise_failure(flights.values())
            return [flights[text].answer.result() for text in texts]
        finally:
            for flight in flights.values():
                self._leave(flight)

    def _join(self, model: str, text: str, encoded: bytes, wanted: _Wanted) -> _Flight:
        key = model, text
        flying = (flight for flight in self._flying.get(key, ()) if flight.covers(wanted))
        flight = next(flying, None) or self._waiting.get(key)
        if flight is None:
            if not self._waiting:
                asyncio.get_running_loop().call_soon(self._turn, TURNS - 1)
            flight = self._waiting[key] = _Flight(model, text, encoded)
        if flight.request is None:
            flight.add(wanted)
        flight.callers += 1
        return flight

    def _leave(self, flight: _Flight) -> None:
        """The last caller of a request takes it back."""
        flight.callers -= 1
        if flight.callers == 0 and flight.request is not None:
            if not any(other.callers for other in flight.request.flights):
                self._forget(flight.request.flights)
                flight.request.task.cancel()

    def _turn(self, left: int) -> None:
        if left:
            asyncio.get_running_loop().call_soon(self._turn, left - 1)
        else:
            self._depart()

    def _depart(self) -> None:
        waiting = self._waiting.copy()
        self._waiting.clear()
        alike: dict[tuple[str, float], list[_Flight]] = {}
        for (model, _), flight in waiting.items():
            if flight.callers:  # else its callers were cancelled at once
                alike.setdefault((model, flight.patience), []).append(flight)
        for (model, _), flights in alike.items():
            for some in _batches(flights):
                self._send(model, some)

    def _send(self, model: str, flights: Sequence[_Flight]) -> None:
        rows = [Row(one.encoded, one.tasks, one.embeds, one.patience) for one in flights]
        task = asyncio.ensure_future(self._source.ask(model, rows))
        request = _Request(flights, task)
        for flight in flights:
            flight.request = request
            self._flying.setdefault(flight.key, []).append(flight)
        task.add_done_callback(partial(self._landed, flights))

    def _landed(self, flights: Sequence[_Flight], task: asyncio.Task[list[Answer]]) -> None:
        self._forget(flights)
        error: BaseException | None
        if task.cancelled():  # by `_leave`, or by a source that closes: nobody else may be ended
            error = InferenceUnavailable(f"{flights[0].key[0]}: the request was given up")
        else:
            error = task.exception()
        if error is not None:
            for flight in flights:
                flight.answer.set_exception(error)
                flight.answer.exception()  # read: callers that are gone are no news for the log
        else:
            for flight, answer in zip(flights, task.result(), strict=True):
                flight.answer.set_result(answer)

    def _forget(self, flights: Sequence[_Flight]) -> None:
        for flight in flights:
            flying = self._flying.get(flight.key, [])
            if flight in flying:
                flying.remove(flight)
                if not flying:
                    del self._flying[flight.key]


def _batches(flights: Sequence[_Flight]) -> Iterator[list[_Flight]]:
    some: list[_Flight] = []
    size = 0
    for flight in flights:
        length = len(flight.encoded)
        if length > MOST_BYTES:
            yield [flight]
            continue
        if some and (len(some) == MOST_ROWS or size + length > MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(flight)
        size += length
    if some:
        yield some


def _raise_failure(flights: Collection[_Flight]) -> None:
    """Raises the first failure. Each caller gets an exception of its own, because raising one
    writes into it.
    """
    for flight in flights:
        if flight.answer.done():
            error = flight.answer.exception()
            if isinstance(error, InferenceError):
                raise type(error)(str(error)) from error
            if error is not None:
                raise error


def _only(tasks: frozenset[str], said: Classification) -> Classification:
    return Classification(
        {name: one for name, one in said.probabilities.items() if name in tasks},
        {name: one for name, one in said.entities.items() if name in tasks},
        said.windows,
        said.truncated,
        said.unreadable,
        said.unreadable_stretch,
    )
