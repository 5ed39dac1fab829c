import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from orchestrator.config.read import MOST_DEPTH
from orchestrator.errors import RequestError
from orchestrator.server.config_bodies import agrees, json_object


@pytest.mark.parametrize(
    ("depth", "status"),
    [
        pytest.param(MOST_DEPTH + 1, 400, id="one too many"),
        pytest.param(900, 400, id="far too many"),
        pytest.param(MOST_DEPTH, 200, id="as many as a policy may have"),
        pytest.param(1, 200, id="flat"),
    ],
)
@pytest.mark.parametrize("kind", ["mappings", "lists"])
async def test_how_deep_a_body_may_be(kind, depth, status):
    async def handle(request):
        try:
            await json_object(request)
        except RequestError as error:
            return web.Response(status=error.status, text=str(error))
        return web.Response()

    value = 1
    for _ in range(depth - 1):
        value = {"a": value} if kind == "mappings" else [value]
    app = web.Application()
    app.router.add_post("/", handle)
    async with TestClient(TestServer(app)) as client:
        headers = {"Content-Type": "application/json"}
        answer = await client.post("/", data=json.dumps({"a": value}), headers=headers)

        assert answer.status == status


@pytest.mark.parametrize(
    ("header", "agreed"),
    [
        pytest.param("", False, id="empty"),
        pytest.param('"b"', False, id="another"),
        pytest.param('W/"a"', False, id="weak"),
        pytest.param('"aa"', False, id="longer"),
        pytest.param("a", False, id="without quotes"),
        pytest.param('"a"', True, id="it"),
        pytest.param('"b", "a"', True, id="one of several"),
        pytest.param(" * ", True, id="any"),
    ],
)
def test_which_documents_a_caller_has_seen(header, agreed):
    assert agrees(header, "a") is agreed
