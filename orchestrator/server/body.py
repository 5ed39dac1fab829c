"""Reading a request's JSON body, on both planes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
from aiohttp import web

from orchestrator.errors import BodyTooLarge, RequestError
from orchestrator.server.encodings import IDENTITY, encoding_of, unpacked

BODY_SECONDS = 60.0
SLOWEST = 64 << 10  # bytes per second
CLOSING = 1.0  # seconds

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Beyond 64 bits orjson reads an integer as a float, which has not all of its digits.
SMALLEST, LARGEST = -(2**63), 2**64 - 1
LONG = b"0" * 19  # no integer with fewer digits is beyond
_ZEROES = bytes.maketrans(b"123456789", b"000000000")


class BodyTimeout(RequestError):
    status = 408
    code = "request_timeout"


class Uploads:
    """The bodies that are on their way, each with a deadline.

    `seconds` is what any body may take; a long one has more, at SLOWEST bytes per second.
    """

    def __init__(self, seconds: float = BODY_SECONDS) -> None:
        self._seconds = seconds
        self._open: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def deadline(self, size: int) -> AsyncIterator[None]:
        """Raises BodyTimeout where the body of `size` bytes takes too long."""
        try:
            async with asyncio.timeout(self._seconds + size / SLOWEST) as limit:
                self._open.add(limit)
                try:
                    yield
                finally:
                    self._open.discard(limit)
        except TimeoutError:
            raise BodyTimeout("the body did not arrive in time") from None

    async def close(self, _: web.Application) -> None:
        """The server stops: what has not arrived in CLOSING seconds is not waited for."""
        soon = asyncio.get_running_loop().time() + CLOSING
        for limit in self._open:
            if not limit.expired():
                limit.reschedule(min(limit.when() or soon, soon))


UPLOADS = web.AppKey("uploads", Uploads)


async def read_json(http: web.Request) -> tuple[Any, bytes]:
    """The body's JSON value, and the bytes it was read from, decompressed.

    Raises BodyTooLarge, BodyTimeout, UnsupportedEncoding, and RequestError for what is not JSON.
    """
    raw = await read(http)
    return value_of(raw), raw


def value_of(raw: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Integers beyond 64 bits are `orjson.Fragment`s, which are written as they were read. Raises
    RequestError for what is not JSON.
    """
    try:
        value = orjson.loads(raw)
        # A search in zeroes costs a tenth of what a regular expression for digits does.
        if LONG in raw.translate(_ZEROES):
            value = json.loads(raw, parse_int=_integer)
    except orjson.JSONDecodeError as error:
        raise RequestError(f"the body is not valid JSON: {error}") from None
    except RecursionError:
        raise RequestError("the body nests too deep") from None
    return value


async def read(http: web.Request) -> bytes:
    """The body, decompressed. Raises BodyTooLarge without reading one that says it is, and
    UnsupportedEncoding."""
    limit = http.client_max_size
    encoding = encoding_of(http.headers.get("Content-Encoding", ""))
    try:
        if limit and (http.content_length or 0) > limit:
            raise BodyTooLarge(f"the body is larger than {limit} bytes")
        if http.content.is_eof():  # it came with its headers, as nearly all do
            raw = await http.read()
        else:
            async with (http.app.get(UPLOADS) or Uploads()).deadline(http.content_length or limit):
                raw = await http.read()
    except web.HTTPRequestEntityTooLarge:
        raise BodyTooLarge(f"the body is larger than {limit} bytes") from None
    except web.RequestPayloadError:
        raise RequestError("the body cannot be read: its encoding is broken") from None
    if encoding != IDENTITY:
        raw = await asyncio.to_thread(unpacked, raw, encoding, limit)
    return raw.removeprefix(BYTE_ORDER_MARK)


def _integer(digits: str) -> int | orjson.Fragment:
    if len(digits) <= 20 and SMALLEST <= int(digits) <= LARGEST:
        return int(digits)
    return orjson.Fragment(digits)
