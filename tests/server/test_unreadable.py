"""A text in a script that the model does not read gets no answer that looks like one."""

import pytest

from tests.server.classifier import UNREAD, Model, application
from tests.server.classify_requests import EVERY, body_of

CLASSIFY = {f"classify/{name}": body_of(name, f"{UNREAD} ann@corp.example") for name in EVERY}
EMBED = {
    "embeddings": {"texts": ["a", UNREAD]},
    "similarity": {"text1": UNREAD, "text2": UNREAD},
    "similarity/batch": {"query": "a", "candidates": ["bbb", UNREAD]},
}


@pytest.mark.parametrize(("path", "body"), [*CLASSIFY.items(), *EMBED.items()])
async def test_it_is_said_that_a_text_was_not_read(aiohttp_client, path, body):
    calm = {f"{UNREAD} ann@corp.example": {"jailbreak": {"benign": 0.9, "jailbreak": 0.1}}}
    client = await aiohttp_client(application(Model(calm)))

    response = await client.post(f"/api/v1/{path}", json=body)
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (422, "UNREADABLE_TEXT")
    assert "script that the model does not read" in error["message"]
    assert UNREAD not in error["message"]
    assert "Retry-After" not in response.headers


@pytest.mark.parametrize("path", ["classify/security", "embeddings"])
async def test_a_text_that_is_read_is_answered(aiohttp_client, path):
    client = await aiohttp_client(application(Model()))

    response = await client.post(
        f"/api/v1/{path}", json={"text": "a"} if "security" in path else {"texts": ["a"]}
    )

    assert response.status == 200
