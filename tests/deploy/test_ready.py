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


async def _checked(*arguments: str, **environment: str) -> tuple[int | None, str]:
    # A proxy that does not exist must not be asked.
    variables = {"http_proxy": "http://127.0.0.1:9", **environment}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", SCRIPT, *arguments),
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


@pytest.mark.parametrize(
    ("arguments", "token", "code", "said"),
    [
        pytest.param([], "", 2, "ready.py URL", id="no-url"),
        pytest.param(["one", "two"], "", 2, "ready.py URL", id="two-urls"),
        pytest.param(["localhost:8080/ready"], "", 1, "unknown url type", id="no-protocol"),
        pytest.param(["http://[::1/ready"], "", 1, "Invalid IPv6 URL", id="no-host"),
        pytest.param(["http://127.0.0.1:9"], "se\ncret", 1, "TSR_METRICS_TOKEN", id="token"),
    ],
)
async def test_what_is_asked_wrongly_is_one_line(
    arguments: list[str], token: str, code: int, said: str
) -> None:
    found, told = await _checked(*arguments, TSR_METRICS_TOKEN=token)

    assert found == code
    assert said in told
    assert len(told.splitlines()) == 1
    assert "cret" not in told


async def test_another_protocol_is_one_line() -> None:
    async def other(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\x00\x00\x12\x04 no HTTP\r\n")
        writer.close()

    server = await asyncio.start_server(other, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        code, told = await _checked(f"http://127.0.0.1:{port}/ready")

    assert code == 1
    assert len(told.splitlines()) == 1


async def test_nobody_who_listens_is_one_line(unused_tcp_port: int) -> None:
    code, told = await _checked(f"http://127.0.0.1:{unused_tcp_port}/ready")

    assert code == 1
    assert len(told.splitlines()) == 1
