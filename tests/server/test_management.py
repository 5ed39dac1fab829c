"""Bodies and failures of the management plane; its tokens are in test_operate."""

import gzip
import io
import json
from dataclasses import replace

import pytest

from orchestrator.server.evaluate import Evaluate
from orchestrator.server.management import MAX_BODY_BYTES, Auth, build
from tests.server.policies import a_pipeline, a_policy


async def client_of(aiohttp_client, pipeline):
    return await aiohttp_client(build(Evaluate(lambda: pipeline).endpoints(), Auth()))


PACKED = gzip.compress(json.dumps({"text": "A long enough text."}).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'{"text": NaN}'])
async def test_what_is_not_json_is_refused(aiohttp_client, raw):
    client = await client_of(aiohttp_client, a_pipeline({}))

    response = await client.post("/api/v1/eval", data=raw)

    assert response.status == 400
    assert (await response.json())["error"]["code"] == "INVALID_INPUT"


async def test_a_body_beyond_10_mib_is_refused_and_one_below_is_taken(aiohttp_client):
    client = await client_of(aiohttp_client, a_pipeline({}))
    text = "x" * (MAX_BODY_BYTES - 64)
    small, large = (json.dumps({"text": t}).encode() for t in (text, text + "x" * 128))

    taken = await client.post("/api/v1/eval", data=io.BytesIO(small))
    refused = await client.post("/api/v1/eval", data=io.BytesIO(large))

    assert taken.status == 200
    assert (await taken.json())["original_text"] == text
    assert refused.status == 413
    assert (await refused.json())["error"]["code"] == "REQUEST_BODY_TOO_LARGE"


@pytest.mark.parametrize(
    ("encoding", "data", "status", "code"),
    [
        pytest.param("gzip", b"not gzip", 400, "INVALID_INPUT", id="not gzip"),
        pytest.param("gzip", PACKED[:-20], 400, "INVALID_INPUT", id="cut"),
        pytest.param("snappy", b"\0", 415, "UNSUPPORTED_CONTENT_ENCODING", id="unknown"),
    ],
)
async def test_a_body_that_cannot_be_unpacked(aiohttp_client, encoding, data, status, code):
    client = await client_of(aiohttp_client, a_pipeline({}))

    headers = {"Content-Encoding": encoding}
    response = await client.post("/api/v1/eval", data=data, headers=headers)

    assert (response.status, (await response.json())["error"]["code"]) == (status, code)


async def test_a_bug_is_logged_by_type_and_place_and_quotes_nothing(aiohttp_client, caplog):
    class Broken:
        async def facts(self, request, families):
            raise RuntimeError(request.text)

    policy = replace(a_policy({}, recipe="broken"), evaluation=Broken())
    client = await client_of(aiohttp_client, a_pipeline({}, broken=policy))

    response = await client.post(
        "/api/v1/eval", json={"text": "canary-71c2", "model": "broken-route"}
    )
    text = await response.text()

    assert (response.status, json.loads(text)["error"]["code"]) == (500, "INTERNAL_ERROR")
    assert "canary-71c2" not in text + caplog.text
    assert "RuntimeError" in caplog.text
    assert "test_management.py" in caplog.text
