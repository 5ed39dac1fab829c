"""Inference over one or several Triton servers that hold the same models.

Spreads requests round robin, splits what exceeds a model's batch, moves on when a server is away.
It knows nothing of what a right answer is: that is `trust.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from orchestrator.errors import (
    ImageRefused,
    InferenceError,
    InferenceUnavailable,
    ModelUntrusted,
)
from orchestrator.inference import MAX_BYTES, Classification, Embeddings, Seen
from orchestrator.inference.answers import Answer, legible
from orchestrator.inference.budget import Budget
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.model_server import Connect, Description, Fault, ModelServer
from orchestrator.inference.pacing import together
from orchestrator.inference.picture_goldens import FLOOR
from orchestrator.inference.rows import Row, encode
from orchestrator.inference.sights import check_size, joined
from orchestrator.inference.tasks import NO_TASKS, Tasks, check_tasks
from orchestrator.matching.tokens import tokens

T = TypeVar("T")

PAUSE_S = 1.0  # before a server that did not answer is asked again; doubles
LONGEST_PAUSE_S = 15.0
LONG_TOKENS = 2_048  # of texts: a request of so many may take twice as long as an empty one
LONG_IMAGE_BYTES = 2_000_000  # of a picture, in the same way


@dataclass(slots=True)
class _Server:
    """An endpoint, when to ask it again, and the models it must not be asked for."""

    endpoint: ModelServer
    refused: frozenset[str] = frozenset()
    resume: float = 0.0  # clock
    pause: float = PAUSE_S


@dataclass(frozen=True, slots=True)
class Usage:
    """One request that was answered, of texts or of a picture."""

    model: str
    texts: int
    windows: int  # a long text is read in several
    truncated: int  # texts that were cut
    seconds: float
    tasks: Mapping[str, int] = field(default_factory=dict)  # task -> texts that asked it
    pictures: int = 0
    refused: int = 0  # of the pictures


class TritonInference:
    """`urls` are host:port of KServe v2 gRPC. `timeout_s` bounds one request to one server; of long
    texts, it may take more (LONG_TOKENS), and so it may where a row has more patience.

    A text of more than `max_bytes` (UTF-8) is an InferenceError: callers send samples of longer
    texts. `tasks` are those of each model that has any; `floors` those of `Seen.known`;
    `dimensions` the length to which a model cuts its embeddings, if it may. `on_usage` is told
    of each answer. Of pictures only some are on their way to a server at a time (Budget).
    `connect` makes what speaks to a server, of its URL.
    """

    def __init__(
        self,
        urls: Sequence[str],
        *,
        timeout_s: float = 5.0,
        max_bytes: int = MAX_BYTES,
        tasks: Mapping[str, Tasks] | None = None,
        floors: Mapping[str, float] | None = None,
        dimensions: Mapping[str, int] | None = None,
        on_usage: Callable[[Usage], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        connect: Connect = Endpoint,
    ) -> None:
        self._servers = [_Server(connect(url, timeout_s=timeout_s)) for url in dict.fromkeys(urls)]
        self._max_bytes = max_bytes
        self._budgets = {server.endpoint.url: Budget() for server in self._servers}
        self._tasks = tasks or {}
        self._floors = floors or {}
        self._dimensions = dimensions or {}
        self._on_usage = on_usage
        self._clock = clock
        self._turn = 0

    @property
    def endpoints(self) -> tuple[ModelServer, ...]:
        return tuple(server.endpoint for server in self._servers)

    def refuse(self, url: str, models: frozenset[str]) -> None:
        """Never ask the server at `url` for these models (until told otherwise)."""
        for server in self._servers:
            if server.endpoint.url == url:
                server.refused = models

    async def close(self) -> None:
        await asyncio.gather(*(endpoint.close() for endpoint in self.endpoints))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `Inference.embed`."""
        if not texts:
            dimension = max(0, (await self._describe(model)).dimension)
            return np.empty((0, dimension), np.float32)
        rows = [Row(encode(model, text, self._max_bytes)) for text in texts]
        return legible(model, await self.ask(model, rows))

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        """See `Inference.classify`."""
        check_tasks(model, tasks, self.labels(model))
        asked = frozenset(tasks)
        encoded = [encode(model, text, self._max_bytes) for text in texts]
        answers = await self.ask(model, [Row(text, asked, embeds=False) for text in encoded])
        return [answer.said for answer in answers]

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        """See `Inference.see`."""
        return joined(model, await together([self.look(model, one) for one in pictures]))

    async def look(self, model: str, picture: bytes, patience: float = 0.0) -> Seen:
        """At one picture; raises as `see` does. For the patience see Row."""
        begun = self._clock()
        try:
            check_size(picture)
            seen = await self._first(model, partial(self._look, model, picture, patience))
        except ImageRefused:
            self._on_usage(Usage(model, 0, 0, 0, self._clock() - begun, pictures=1, refused=1))
            raise
        self._on_usage(Usage(model, 0, 0, 0, self._clock() - begun, pictures=1))
        return seen

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.labels`."""
        tasks = self._tasks.get(model)
        if not tasks:
            raise InferenceError(f"{model}: it has no labels.json, so its tasks are not known")
        return {name: task.labels for name, task in tasks.items()}

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.languages`."""
        tasks = self._tasks.get(model, NO_TASKS)
        return {name: task.languages for name, task in tasks.items() if task.languages is not None}

    async def ask(self, model: str, rows: Sequence[Row]) -> list[Answer]:
        """The answers in order; all of them or an InferenceError, as `Inference.embed` raises.

        Each row's tasks are among `labels` of the model, each text is within `max_bytes`.
        """
        if not rows:
            return []
        begun = self._clock()
        answers = await self._ask_all(model, rows)
        self._on_usage(
            Usage(
                model,
                texts=len(rows),
                windows=sum(answer.said.windows for answer in answers),
                truncated=sum(answer.said.truncated for answer in answers),
                seconds=self._clock() - begun,
                tasks=Counter(task for row in rows for task in row.tasks),
            )
        )
        return answers

    async def _ask_all(self, model: str, rows: Sequence[Row]) -> list[Answer]:
        """One request for each batch, at the same time; the first failure cancels the rest."""
        if len(rows) == 1:
            return await self._ask(model, rows)
        size = (await self._describe(model)).max_batch
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        if len(batches) == 1:
            return await self._ask(model, rows)
        asking = [asyncio.ensure_future(self._ask(model, batch)) for batch in batches]
        try:
            return [answer for batch in await asyncio.gather(*asking) for answer in batch]
        finally:
            for one in asking:
                one.cancel()
            await asyncio.gather(*asking, return_exceptions=True)

    async def _describe(self, model: str) -> Description:
        return await self._first(model, lambda endpoint: endpoint.describe(model))

    async def _ask(self, model: str, rows: Sequence[Row]) -> list[Answer]:
        tasks = self._tasks.get(model, NO_TASKS)
        long = 1 + tokens(b"\n".join(row.text for row in rows)) / LONG_TOKENS
        patience = max(row.patience for row in rows)

        def ask(endpoint: ModelServer) -> Awaitable[list[Answer]]:
            limit = max(endpoint.timeout_s * long, patience)
            return endpoint.ask(model, rows, tasks, limit, self._dimensions.get(model, 0))

        return await self._first(model, ask)

    async def _look(
        self, model: str, picture: bytes, patience: float, endpoint: ModelServer
    ) -> Seen:
        seconds = endpoint.timeout_s * (1 + len(picture) / LONG_IMAGE_BYTES)
        floor = self._floors.get(model, FLOOR)
        async with self._budgets[endpoint.url].held(len(picture)):
            return await endpoint.see(model, [picture], floor, max(seconds, patience))

    async def _first(self, model: str, ask: Callable[[ModelServer], Awaitable[T]]) -> T:
        """The answer of the first server that is there. Raises the last one's error."""
        failure: InferenceError | None = None
        if not self._servers:
            raise InferenceUnavailable(f"{model}: there is no Triton server")
        for server in self._order(model):
            try:
                answer = await ask(server.endpoint)
            except InferenceUnavailable as error:
                failure = error
                self._note(server, model)
            else:
                server.resume, server.pause = 0.0, PAUSE_S
                return answer
        raise failure or ModelUntrusted(f"{model}: no server gives trusted answers")

    def _order(self, model: str) -> Iterator[_Server]:
        """Whom to ask: in turn, those that failed a moment ago last.

        A lone server is asked again when a process of the model was dead: Triton gives the next
        request to another one, so one dead process of several costs no answer.
        """
        self._turn += 1
        first = self._turn % len(self._servers)
        turn = [*self._servers[first:], *self._servers[:first]]
        able = [server for server in turn if model not in server.refused]
        now = self._clock()
        able.sort(key=lambda server: server.resume > now)  # stable
        yield from able
        if len(able) == 1 and able[0].endpoint.faults.get(model) is Fault.DEAD_INSTANCE:
            yield able[0]

    def _note(self, server: _Server, model: str) -> None:
        now = self._clock()
        if server.endpoint.faults.get(model) is Fault.UNREACHABLE and server.resume <= now:
            server.resume = now + server.pause
            server.pause = min(2 * server.pause, LONGEST_PAUSE_S)
