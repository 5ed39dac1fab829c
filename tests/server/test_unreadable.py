"""A text in a script that the model does not read gets no answer that looks like one."""

import pytest

from tests.server.classifier import UNREAD, Model, application
from tests.server.classify_requests import EVERY, ask, body_of

WITH = f"{UNREAD} ann@corp.example"
NONE = f"{UNREAD} ann"
CLASSIFY = {f"classify/{name}": body_of(name, NONE if name == "pii" else WITH) for name in EVERY}
EMBED = {
    "embeddings": {"texts": ["a", UNREAD]},
    "similarity": {"text1": UNREAD, "text2": UNREAD},
    "similarity/batch": {"query": "a", "candidates": ["bbb", UNREAD]},
}


@pytest.mark.parametrize(("path", "body"), [*CLASSIFY.items(), *EMBED.items()])
async def test_it_is_said_that_a_text_was_not_read(aiohttp_client, path, body):
    calm = {WITH: {"jailbreak": {"benign": 0.9, "jailbreak": 0.1}}}
    client = await aiohttp_client(application(Model(calm)))

    response = await client.post(f"/api/v1/{path}", json=body)
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (422, "UNREADABLE_TEXT")
    assert "script that the model does not read" in error["message"]
    assert UNREAD not in error["message"]
    assert "Retry-After" not in response.headers


async def test_personal_data_that_has_a_form_is_told_of_a_text_that_was_not_read(aiohttp_client):
    client = await aiohttp_client(application(Model()))
    options = {"return_positions": True, "mask_entities": True, "reveal_entity_text": True}

    answer = await ask(client, "pii", {"text": WITH, "options": options})

    assert [(one["type"], one["value"]) for one in answer["entities"]] == [
        ("EMAIL_ADDRESS", "ann@corp.example")
    ]
    assert answer["entities"][0]["start_position"] == WITH.index("ann")
    assert answer["masked_text"] == f"{UNREAD} [EMAIL_ADDRESS_1]"
    assert answer["security_recommendation"] == "block"
    assert answer["unreadable_text"] is True


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        pytest.param(NONE, {}, 422, id="nothing found"),
        pytest.param(WITH, {"entity_types": ["PERSON"]}, 422, id="nothing found of what is asked"),
        pytest.param(WITH, {"entity_types": ["EMAIL_ADDRESS"]}, 200, id="found"),
        pytest.param("ann@corp.example", {}, 200, id="read"),
    ],
)
async def test_that_there_is_none_is_said_of_a_text_that_was_read(
    aiohttp_client, text, options, status
):
    client = await aiohttp_client(application(Model()))

    answer = await ask(client, "pii", {"text": text, "options": options}, status)

    assert ("unreadable_text" in answer) == (status == 200 and UNREAD in text)


BATCH = {"texts": ["a", NONE, *"bcdefg", WITH, UNREAD, *["h"] * 20, UNREAD]}


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        pytest.param("classify/batch", BATCH, "texts[1], texts[8], texts[9]: ", id="batch"),
        pytest.param(
            "classify/batch",
            BATCH | {"task_type": "pii"},
            "texts[1], texts[9]: ",
            id="batch of pii",
        ),
        pytest.param(
            "classify/batch",
            {"texts": [*["h"] * 20, UNREAD], "task_type": "all"},
            "texts[20]: ",
            id="far behind",
        ),
        pytest.param("embeddings", EMBED["embeddings"], "texts[1]: ", id="embeddings"),
        pytest.param("similarity", EMBED["similarity"], "text1, text2: ", id="similarity"),
        pytest.param(
            "similarity/batch", EMBED["similarity/batch"], "candidates[1]: ", id="candidates"
        ),
    ],
)
async def test_which_of_several_texts_was_not_read_is_named(aiohttp_client, path, body, named):
    client = await aiohttp_client(application(Model()))

    response = await client.post(f"/api/v1/{path}", json=body)
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (422, "UNREADABLE_TEXT")
    assert error["message"].startswith(named)


async def test_a_batch_tells_what_was_found_in_texts_that_were_not_read(aiohttp_client):
    client = await aiohttp_client(application(Model()))

    answer = await ask(client, "batch", {"texts": [WITH, "b@c.de"], "task_type": "pii"})

    assert [one.get("unreadable_text", False) for one in answer["results"]] == [True, False]
    assert all(one["has_pii"] for one in answer["results"])


@pytest.mark.parametrize("path", ["classify/security", "embeddings"])
async def test_a_text_that_is_read_is_answered(aiohttp_client, path):
    client = await aiohttp_client(application(Model()))

    response = await client.post(
        f"/api/v1/{path}", json={"text": "a"} if "security" in path else {"texts": ["a"]}
    )

    assert response.status == 200
