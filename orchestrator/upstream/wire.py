"""Connections that know whether a byte of the answer came: aiohttp's errors do not say.

A request of which the backend has begun to tell the result was served, perhaps at length. To send
it again would serve it twice, so that only silence may be answered by another try.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection


class BrokenAnswer(aiohttp.ClientError):
    """The answer broke, or is no HTTP, after its first byte and before its headers were whole; or
    it is none, but sends us elsewhere."""


class Wire(ResponseHandler):
    """`received`: something came since the last request was sent."""

    received = False

    def set_response_params(self, **params: Any) -> None:  # noqa: ANN401 - aiohttp's own
        self.received = False  # once for every request on a kept connection
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        self.received = True
        super().data_received(data)


class Connector(aiohttp.TCPConnector):
    """A pool without a limit whose connections are `Wire`s."""

    def __init__(self, keepalive_timeout: float) -> None:
        super().__init__(limit=0, keepalive_timeout=keepalive_timeout)
        # aiohttp has no public way to choose the protocol of its connections.
        self._factory = cast("partial[ResponseHandler]", partial(Wire, loop=self._loop))


class Response(aiohttp.ClientResponse):
    """Raises BrokenAnswer where anything but time was wrong with an answer that had begun."""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        wire = connection.protocol
        try:
            return await super().start(connection)
        except TimeoutError:
            raise
        except aiohttp.ClientResponseError as error:
            raise BrokenAnswer("answered what is not HTTP") from error
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(wire, Wire) and wire.received:
                raise BrokenAnswer("broke off its answer") from error
            raise
