"""The health check of the containers, run as they run it."""

import asyncio
import sys
from pathlib import Path

import pytest
from aiohttp import web
from pytest_aiohttp.plugin import AiohttpServer

SCRIPT = Path(__file__).parent.parent.parent / "docker/ready.py"


async def _answer(request: web.Request) -> web.Response:
    wanted = request.query.get("token")
    given = request.headers.get("Authorization", "")
    if wanted and given != f"Bearer {wanted}":
        return web.Response(status=401, text="who asks?")
    return web.Response(status=int(request.query["status"]), text="said")


async def _checked(url: str, **environment: str) -> tuple[int | None, str]:
    # A proxy that does not exist must not be asked.
    variables = {"http_proxy": "http://127.0.0.1:9", **environment}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", SCRIPT, url),
        env=variables,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    return process.returncode, said.decode()


@pytest.mark.parametrize(
    ("query", "environment", "code", "said"),
    [
        pytest.param("status=503", {}, 1, "503: said", id="not-ready"),
        pytest.param("status=404", {}, 1, "404: said", id="another-server"),
        pytest.param("status=200&token=t", {}, 1, "401: who asks?", id="no-token"),
        pytest.param("status=200", {}, 0, "", id="ready"),
        pytest.param("status=200&token=t", {"TSR_METRICS_TOKEN": "t"}, 0, "", id="token"),
    ],
)
async def test_the_check_says_what_the_server_says(
    aiohttp_server: AiohttpServer, query: str, environment: dict[str, str], code: int, said: str
) -> None:
    app = web.Application()
    app.router.add_get("/ready", _answer)
    server = await aiohttp_server(app)

    found, told = await _checked(f"{server.make_url('/ready')}?{query}", **environment)

    assert (found, said in told) == (code, True)


async def test_nobody_who_listens_is_one_line(unused_tcp_port: int) -> None:
    code, told = await _checked(f"http://127.0.0.1:{unused_tcp_port}/ready")

    assert code == 1
    assert len(told.splitlines()) == 1
