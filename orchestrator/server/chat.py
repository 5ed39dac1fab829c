"""POST /v1/chat/completions: read, serve, hand the answer on as it comes."""

from __future__ import annotations

import time
from typing import Any

import orjson
from aiohttp import web

from orchestrator.errors import BodyTooLarge, RequestError, RouterError, UpstreamError
from orchestrator.pipeline import Outcome
from orchestrator.protocols.chat_completions import error_event, parse
from orchestrator.protocols.sse import Passage
from orchestrator.server import headers
from orchestrator.server.keys import DATA_PLANE, REQUEST_ID, STARTED, DataPlane
from orchestrator.types import Request
from orchestrator.upstream import Answer

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Proxies that buffer would turn a stream into one late answer (nginx reads the second).
UNBUFFERED = {"cache-control": "no-cache", "x-accel-buffering": "no"}


class UnsupportedEncoding(RequestError):
    status = 415
    code = "unsupported_content_encoding"


async def chat_completions(http: web.Request) -> web.StreamResponse:
    plane = http.app[DATA_PLANE]
    plane.telemetry.received()
    model = ""
    try:
        raw = await _read(http)
        started = time.perf_counter()
        named = {name.lower(): value for name, value in http.headers.items()}
        named[headers.REQUEST_ID] = http[REQUEST_ID]
        request = parse(_decode(http, raw), named, plane.identity_headers, raw)
        model = request.model
        return await _serve(http, plane, request, started)
    except RouterError as error:
        plane.telemetry.failed(model, error.code)
        raise
    finally:
        plane.telemetry.finished()


async def _read(http: web.Request) -> bytes:
    """The body, decompressed. Raises BodyTooLarge without reading one that says it is."""
    limit = http.client_max_size
    try:
        if limit and (http.content_length or 0) > limit:
            raise BodyTooLarge(f"the body is larger than {limit} bytes")
        raw = await http.read()
    except web.HTTPRequestEntityTooLarge:
        raise BodyTooLarge(f"the body is larger than {limit} bytes") from None
    except web.RequestPayloadError:
        raise RequestError("the body cannot be read: its encoding is broken") from None
    return raw.removeprefix(BYTE_ORDER_MARK)


def _decode(http: web.Request, raw: bytes) -> Any:  # noqa: ANN401 - JSON enters here
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        encoding = http.headers.get("Content-Encoding", "identity").lower()
        if encoding not in ("identity", "gzip", "deflate"):
            raise UnsupportedEncoding(f"content encoding {encoding!r} is not supported") from None
        raise RequestError(f"the body is not valid JSON: {error}") from None


async def _serve(
    http: web.Request, plane: DataPlane, request: Request, started: float
) -> web.StreamResponse:
    pipeline = plane.pipeline()
    async with pipeline.serve(request) as outcome:
        answer, route = outcome.answer, outcome.route
        told = {**answer.headers, **headers.always("upstream"), **headers.routed(route)}
        if request.headers.get(headers.DEBUG) == "true":
            policy = pipeline.policies.get(route.recipe or "")
            told |= headers.debug(route, policy.headers if policy else {})
        spent = time.perf_counter() - started - answer.seconds
        told[headers.OVERHEAD] = headers.overhead(spent)
        if answer.events or (request.stream and answer.status < 400):
            return await _stream(http, plane, outcome, told)
        body = b"".join([chunk async for chunk in answer.chunks])
        _count_answered(plane, outcome, started)
        return web.Response(body=body, status=answer.status, headers=told)


async def _stream(
    http: web.Request, plane: DataPlane, outcome: Outcome, told: dict[str, str]
) -> web.StreamResponse:
    """Forward piece by piece; `write` waits for a client that reads slowly, and so do we."""
    answer, started = outcome.answer, time.perf_counter() - outcome.answer.seconds
    response = web.StreamResponse(status=answer.status, headers=told | UNBUFFERED)
    response.headers[headers.REQUEST_ID] = http[REQUEST_ID]
    await response.prepare(http)
    http[STARTED] = True
    try:
        await (_events if answer.events else _pieces)(response, answer)
    except UpstreamError as error:
        model = _model(outcome)
        plane.telemetry.failed(model, error.code)
        plane.telemetry.stream_truncated(model)
        if not answer.events and http.transport is not None:
            http.transport.abort()  # no event to tell it by: let the client see a broken body
    except ConnectionError:
        pass  # the client left between two pieces; leaving the context closes the upstream
    else:
        _count_answered(plane, outcome, started)
    return response


async def _pieces(response: web.StreamResponse, answer: Answer) -> None:
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
        await response.write(passage.interrupt(error_event(error)))
        raise


def _model(outcome: Outcome) -> str:
    chosen = outcome.route.plan.chosen
    return chosen.lora or chosen.model


def _count_answered(plane: DataPlane, outcome: Outcome, started: float) -> None:
    plane.telemetry.answered(_model(outcome), time.perf_counter() - started)
