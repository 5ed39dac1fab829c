"""The least an aiohttp proxy can do: parse the body, forward it, hand the answer on.

The yardstick for the router's own CPU per request. `python -m perf.bare_proxy PORT UPSTREAM_PORT`
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import aiohttp
import orjson
import uvloop
from aiohttp import web

SESSION = web.AppKey("session", aiohttp.ClientSession)
TARGET = web.AppKey("target", str)


async def forward(request: web.Request) -> web.StreamResponse:
    raw = await request.read()
    streamed = orjson.loads(raw).get("stream")
    headers = {"content-type": "application/json"}
    session = request.app[SESSION]
    async with session.post(request.app[TARGET], data=raw, headers=headers) as answer:
        kind = {"content-type": answer.headers["content-type"]}
        if not streamed:
            return web.Response(body=await answer.read(), status=answer.status, headers=kind)
        response = web.StreamResponse(status=answer.status, headers=kind)
        await response.prepare(request)
        async for chunk in answer.content.iter_any():
            await response.write(chunk)
        return response


async def connections(app: web.Application) -> AsyncIterator[None]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
        app[SESSION] = session
        yield


async def main(port: int, upstream: int) -> None:
    app = web.Application(client_max_size=32 << 20)
    app[TARGET] = f"http://127.0.0.1:{upstream}/v1/chat/completions"
    app.router.add_post("/v1/chat/completions", forward)
    app.cleanup_ctx.append(connections)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
