"""POST /v1/chat/completions: read, serve, hand the answer on as it comes."""

from __future__ import annotations

import logging
import time

from aiohttp import web

from orchestrator.errors import RouterError, UpstreamError
from orchestrator.protocols.chat_completions import error_event, parse
from orchestrator.protocols.sse import Passage
from orchestrator.server import headers
from orchestrator.server.body import read_json
from orchestrator.server.keys import (
    DATA_PLANE,
    ENDPOINT,
    REQUEST_ID,
    ROUTED,
    STARTED,
    DataPlane,
    Serving,
)
from orchestrator.types import Request, Route
from orchestrator.upstream import Answer

LOG = logging.getLogger(__name__)

# Proxies that buffer would turn a stream into one late answer (nginx reads the second).
UNBUFFERED = {"cache-control": "no-cache", "x-accel-buffering": "no"}


# Bytes. An answer that is longer goes on as it comes: memory is for many requests.
LARGEST_HELD = 8 << 20


async def chat_completions(http: web.Request) -> web.StreamResponse:
    plane = http.app[DATA_PLANE]
    plane.telemetry.received()
    model = ""
    try:
        body, raw = await read_json(http)
        started = time.perf_counter()
        named = {name.lower(): value for name, value in http.headers.items()}
        named[headers.REQUEST_ID] = http[REQUEST_ID]
        request = parse(body, named, plane.identity_headers, raw)
        model, pipeline = request.model, plane.pipeline()
        route = await pipeline.route(request)
        model = route.plan.chosen.name
        return await _serve(http, plane, pipeline, request, route, started)
    except RouterError as error:
        plane.telemetry.failed(model, error.code)
        raise
    finally:
        plane.telemetry.finished()


def _routed(request: Request, route: Route, pipeline: Serving) -> dict[str, str]:
    """What the answer says of the route, be it the model's or an error."""
    told = headers.routed(route)
    if request.headers.get(headers.DEBUG) == "true":
        policy = pipeline.policies.get(route.recipe or "")
        told |= headers.debug(route, policy.headers if policy else {})
        if policy and route.verdict:
            told |= headers.retention(policy.decisions[route.verdict.decision])
    return told


async def _serve(
    http: web.Request,
    plane: DataPlane,
    pipeline: Serving,
    request: Request,
    route: Route,
    started: float,
) -> web.StreamResponse:
    model = route.plan.chosen.name
    http[ROUTED] = routed = _routed(request, route, pipeline)
    async with pipeline.forward(request, route) as answer:
        now = time.perf_counter()
        sent = now - answer.seconds
        http[ENDPOINT] = answer.endpoint
        told = {**answer.headers, **headers.always("upstream"), **routed}
        if request.headers.get(headers.DEBUG) == "true":
            told |= headers.reasoning(answer.reasoning)
        told[headers.OVERHEAD] = headers.overhead(sent - started)
        if answer.events or (request.stream and answer.status < 400):
            return await _stream(http, plane, model, answer, told, sent)
        pieces, held = [], 0
        async for chunk in answer.chunks:
            pieces.append(chunk)
            held += len(chunk)
            if held > LARGEST_HELD:
                return await _stream(http, plane, model, answer, told, sent, pieces)
        plane.telemetry.answered(model, answer.status, time.perf_counter() - sent)
        return web.Response(body=b"".join(pieces), status=answer.status, headers=told)


async def _stream(
    http: web.Request,
    plane: DataPlane,
    model: str,
    answer: Answer,
    told: dict[str, str],
    sent: float,
    begun: list[bytes] | None = None,
) -> web.StreamResponse:
    """Forward piece by piece; `write` waits for a client that reads slowly, and so do we.

    `begun`: what was read of an answer that is no stream, but too large to be kept.
    """
    told = told if begun else told | UNBUFFERED
    response = web.StreamResponse(status=answer.status, headers=told)
    response.headers[headers.REQUEST_ID] = http[REQUEST_ID]
    try:
        await response.prepare(http)
        http[STARTED] = True
        if answer.events:
            await _events(response, answer)
        else:
            await _pieces(response, answer, begun or [])
    except UpstreamError as error:
        LOG.warning("request %s: %s: %s: %s", http[REQUEST_ID], answer.endpoint, error.code, error)
        plane.telemetry.failed(model, error.code)
        plane.telemetry.stream_truncated(model)
        if not answer.events and http.transport is not None:
            http.transport.abort()  # no event to tell it by: let the client see a broken body
    except ConnectionError:
        pass  # the client left, maybe before any piece; leaving the context closes the upstream
    else:
        plane.telemetry.answered(model, answer.status, time.perf_counter() - sent)
    return response


async def _pieces(response: web.StreamResponse, answer: Answer, begun: list[bytes]) -> None:
    for chunk in begun:
        await response.write(chunk)
    begun.clear()
    async for chunk in answer.chunks:
        await response.write(chunk)


async def _events(response: web.StreamResponse, answer: Answer) -> None:
    """Events, the last of them an error (and no `[DONE]`) where the answer is not whole."""
    passage = Passage()
    try:
        last = b""
        async for chunk in answer.chunks:
            ready = passage.feed(chunk)
            if answer.ended():
                last = ready  # goes out together with the end: one system call less
                break
            if ready:
                await response.write(ready)
        rest, whole = passage.finish()
        if whole or answer.status >= 400:
            await response.write_eof(last + rest)
            return
        if last or rest:
            await response.write(last + rest)
        raise UpstreamError("the model stopped before its answer was complete")
    except UpstreamError as error:
        if passage.done:  # the answer is whole, only its connection was not closed as it should
            await response.write_eof(passage.finish()[0])
            return
        await response.write(passage.interrupt(error_event(error)))
        raise
