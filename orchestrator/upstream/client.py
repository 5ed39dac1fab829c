"""The HTTP client: one connection pool for all backends, fail-over before the first byte."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from io import BytesIO

import aiohttp

from orchestrator.errors import (
    MissingCredential,
    UpstreamError,
    UpstreamTimeout,
    UpstreamUnavailable,
)
from orchestrator.protocols.chat_completions import rewrite
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, Request
from orchestrator.upstream import Answer, Resolution
from orchestrator.upstream.backends import Backend
from orchestrator.upstream.endpoints import Endpoint
from orchestrator.upstream.headers import forwarded, returned
from orchestrator.upstream.watching import Observer, Watch
from orchestrator.upstream.wire import BrokenAnswer, Connector, Response

# uvicorn (vLLM's server) closes idle connections after 5 s; ours go first, so that a request
# seldom meets a connection that is being closed.
KEEP_ALIVE_SECONDS = 4.0

# A backend that dies on a request may have died of it: three in all, not the whole fleet.
MOST_DEATHS = 3

LARGE_BODY = 1 << 20  # bytes; above, aiohttp wants a file, which it writes piece by piece


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. There is no limit on the whole of an answer, only on silence."""

    connect: float = 5.0
    idle: float = 120.0  # between two pieces of a stream
    answer: float = 600.0  # silence before an answer that is not streamed; OpenAI's SDK waits so


def session() -> aiohttp.ClientSession:
    """The connection pool. It outlives a change of policy; whoever opens it closes it."""
    return aiohttp.ClientSession(
        connector=Connector(KEEP_ALIVE_SECONDS),
        response_class=Response,
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    )


class HttpUpstream:
    """Sends requests to the backends of `backends`, a table of one policy."""

    def __init__(
        self,
        backends: Mapping[str, Backend],
        session: aiohttp.ClientSession,
        telemetry: Telemetry,
        timeouts: Timeouts | None = None,
        observer: Observer | None = None,
    ) -> None:
        limits = timeouts or Timeouts()
        self._backends = backends
        self._session = session
        self._telemetry = telemetry
        self.observer = observer
        self._timeouts = {
            streamed: aiohttp.ClientTimeout(sock_connect=limits.connect, sock_read=silence)
            for streamed, silence in ((True, limits.idle), (False, limits.answer))
        }

    def open(
        self, candidate: Candidate, request: Request, resolution: Resolution
    ) -> AbstractAsyncContextManager[Answer]:
        return _Opening(self, candidate, request, resolution)

    async def send(
        self, candidate: Candidate, request: Request, resolution: Resolution
    ) -> tuple[Answer, aiohttp.ClientResponse]:
        """The answer and the response that it reads from, which is the caller's to close."""
        backend = self._backends.get(candidate.model)
        if backend is None:
            raise UpstreamUnavailable(f"no backend is configured for model {candidate.model!r}")
        model, started = candidate.name, time.perf_counter()
        written = resolution == "routed" and backend.family is not None
        watch = Watch(self.observer, model, request.stream) if self.observer else None
        endpoint, response = await self._send(backend, candidate, request, resolution)

        def first_byte() -> None:
            self._telemetry.first_byte(model, time.perf_counter() - started)

        answer = Answer(
            status=response.status,
            headers=returned(response.headers.items()),
            chunks=Chunks(
                response,
                first_byte,
                lambda: backend.pool.failed(endpoint),
                watch if response.status < 300 else None,
            ),
            ended=response.content.at_eof,
            endpoint=endpoint.name,
            reasoning=candidate.use_reasoning if written else None,
            seconds=time.perf_counter() - started,
        )
        return answer, response

    async def _send(
        self, backend: Backend, candidate: Candidate, request: Request, resolution: Resolution
    ) -> tuple[Endpoint, aiohttp.ClientResponse]:
        """Try the servers in turn until one begins to answer."""
        model = candidate.name
        speaking = [one for one in backend.pool.order() if one.chat]
        waiting = deque(one for one in speaking if not one.unset)
        if speaking and not waiting:
            raise MissingCredential(f"the router has no credential for model {model!r}")
        failure: UpstreamError | None = None
        tried: list[str] = []
        deaths = 0
        while waiting:
            endpoint = waiting.popleft()
            body = _body(backend, candidate, request, resolution, endpoint)
            try:
                response = await self._post(endpoint, request, body, model)
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                tried.append(endpoint.name)
                failure = UpstreamUnavailable(
                    f"no backend of model {model!r} can be reached: {', '.join(tried)}"
                )
            except (TimeoutError, BrokenAnswer) as error:
                backend.pool.failed(endpoint)
                raise _served(error, model, endpoint) from None
            except (aiohttp.ClientError, OSError):
                deaths += 1
                failure = UpstreamError(
                    f"a backend of model {model!r} closed the connection: {endpoint.name}"
                )
                if deaths == 1:
                    # It may have closed a kept connection just as we used it: ask once more.
                    waiting.appendleft(endpoint)
                    continue
                if deaths == MOST_DEATHS:
                    waiting.clear()
            else:
                (backend.pool.failed if response.status >= 500 else backend.pool.succeeded)(
                    endpoint
                )
                return endpoint, response
            backend.pool.failed(endpoint)
            if waiting:
                self._telemetry.failed_over(model, failure.code)
        raise failure or UpstreamUnavailable(f"no backend of {model!r} speaks Chat Completions")

    async def _post(
        self, endpoint: Endpoint, request: Request, body: bytes, model: str
    ) -> aiohttp.ClientResponse:
        self._telemetry.forwarded(model)
        response = await self._session.post(
            endpoint.url,
            data=aiohttp.BytesPayload(body) if len(body) < LARGE_BODY else BytesIO(body),
            headers=forwarded(request.headers, endpoint),
            timeout=self._timeouts[request.stream],
            allow_redirects=False,
        )
        if 300 <= response.status < 400:  # where to is between the operator and the backend
            response.close()
            raise BrokenAnswer(f"answers with a redirect ({response.status})")
        return response


class _Opening(AbstractAsyncContextManager[Answer]):
    """Written out, since a generator would cost every request several microseconds more."""

    def __init__(
        self, upstream: HttpUpstream, candidate: Candidate, request: Request, how: Resolution
    ) -> None:
        self._upstream = upstream
        self._asked = (candidate, request, how)

    async def __aenter__(self) -> Answer:
        observer, model = self._upstream.observer, self._asked[0].name
        if observer is None:
            answer, self._response = await self._upstream.send(*self._asked)
            return answer
        observer.started(model)
        try:
            answer, self._response = await self._upstream.send(*self._asked)
        except BaseException:
            observer.ended(model)
            raise
        return answer

    async def __aexit__(self, *_: object) -> None:
        if self._upstream.observer is not None:
            self._upstream.observer.ended(self._asked[0].name)
        if not self._response.closed:  # a finished answer has given its connection back already
            self._response.close()


def _body(
    backend: Backend,
    candidate: Candidate,
    request: Request,
    resolution: Resolution,
    endpoint: Endpoint,
) -> bytes:
    """The client's bytes where nothing changes, or else the rewritten body."""
    model_id = backend.model_id(candidate, endpoint)
    reasoning = backend.reasoning(candidate, endpoint) if resolution == "routed" else None
    if reasoning is None and request.raw and model_id == request.body.get("model"):
        return request.raw
    return rewrite(request.body, model_id, reasoning)


class Chunks:
    """The body of an answer in the pieces in which it arrived."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        first: Callable[[], None],
        broken: Callable[[], None],
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch
        self._content = response.content
        self._first = first
        self._broken = broken
        self._begun = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._begun and self._content.at_eof():
            self._complete()
            raise StopAsyncIteration  # said without another read
        try:
            chunk = await self._content.readany()
        except (aiohttp.ClientError, OSError) as error:  # aiohttp's timeouts are of both kinds
            # What came before the break is ours too; the public readers refuse to give it.
            chunk = self._content._read_nowait(-1)
            if not chunk:
                self._broken()
                raise _breakage(error) from None
        if not self._begun:
            self._begun = True
            self._first()
        if not chunk:
            self._complete()
            raise StopAsyncIteration
        if self._watch is not None:
            self._watch.chunk(chunk)
            if self._content.at_eof():
                self._complete()  # who asks `ended` does not ask for another chunk
        return chunk

    def _complete(self) -> None:
        if self._watch is not None:
            self._watch.whole()
            self._watch = None


def _served(error: Exception, model: str, endpoint: Endpoint) -> UpstreamError:
    """The backend has had the request: to ask again would serve it twice."""
    if isinstance(error, TimeoutError):
        return UpstreamTimeout(f"model {model!r} did not begin to answer: {endpoint.name}")
    return UpstreamError(f"the backend of model {model!r} {error}: {endpoint.name}")


def _breakage(error: Exception) -> UpstreamError:
    if isinstance(error, TimeoutError):
        return UpstreamTimeout("the model stopped answering")
    return UpstreamError("the connection to the model broke before the answer was complete")
