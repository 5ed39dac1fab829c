"""A scripted upstream, for unit tests only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from orchestrator.errors import RouterError
from orchestrator.types import Candidate, Request
from orchestrator.upstream import Answer, Resolution

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


class FakeUpstream:
    """Answers with the chunks it was given; a RouterError among them is raised in its place.

    `calls` are the arguments of every `open`, `closed` the number of contexts left.
    """

    def __init__(
        self,
        chunks: Sequence[bytes | RouterError] = (b"{}",),
        status: int = 200,
        headers: dict[str, str] | None = None,
        refusal: RouterError | None = None,
    ) -> None:
        self.chunks = tuple(chunks)
        self.status = status
        self.headers = JSON if headers is None else headers
        self.refusal = refusal
        self.calls: list[tuple[Candidate, Request, Resolution]] = []
        self.closed = 0

    @asynccontextmanager
    async def open(
        self, candidate: Candidate, request: Request, resolution: Resolution
    ) -> AsyncIterator[Answer]:
        self.calls.append((candidate, request, resolution))
        if self.refusal is not None:
            raise self.refusal
        try:
            yield Answer(
                self.status,
                self.headers,
                self._pieces(),
                endpoint="fake",
                reasoning=candidate.use_reasoning,
            )
        finally:
            self.closed += 1

    async def _pieces(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            if isinstance(chunk, RouterError):
                raise chunk
            yield chunk
