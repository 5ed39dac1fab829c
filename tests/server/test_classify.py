"""What all of /api/v1/classify has in common: who may ask, what is refused, what fails."""

import json
import logging

import pytest

from orchestrator.config.schema import Config
from orchestrator.errors import (
    InferenceTimeout,
    InferenceUnavailable,
    ModelUntrusted,
    NotStarted,
)
from orchestrator.inference.examples import MODEL
from orchestrator.server.classify import Classify
from orchestrator.server.classify_bodies import MOST_TEXTS, MOST_TOTAL
from orchestrator.server.management import Auth, build
from tests.server.classifier import Model, application, modules
from tests.server.classify_requests import EVERY, LETTER, ONE, ask, body_of


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        *(pytest.param(name, {}, "text", id=f"{name}: nothing") for name in EVERY),
        *(pytest.param(name, {"text": 5}, "text", id=f"{name}: a number") for name in EVERY),
        *(pytest.param(name, {"text": " \n"}, "text", id=f"{name}: blank") for name in ONE),
        *(
            pytest.param(name, {"text": "a", "options": []}, "options", id=f"{name}: options")
            for name in ("intent", "pii", "security", "combined")
        ),
        pytest.param("intent", {"messages": "hi"}, "messages", id="messages are text"),
        pytest.param(
            "intent",
            {"messages": [{"role": "user", "content": []}]},
            "messages",
            id="messages without a text",
        ),
        pytest.param(
            "intent",
            {"text": "a", "options": {"confidence_threshold": 1.5}},
            "options.confidence_threshold",
            id="a threshold beyond 1",
        ),
        pytest.param(
            "pii",
            {"text": "a", "options": {"confidence_threshold": "0.5"}},
            "options.confidence_threshold",
            id="a threshold in quotes",
        ),
        pytest.param(
            "pii",
            {"text": "a", "options": {"entity_types": ["PERSON", "PET"]}},
            "options.entity_types[1]",
            id="an unknown type",
        ),
        pytest.param(
            "pii",
            {"text": "a", "options": {"mask_entities": 1}},
            "options.mask_entities",
            id="a number for a flag",
        ),
        pytest.param("pii", {"text": "x" * 140_000}, "text", id="too long a text"),
        pytest.param("batch", {"texts": []}, "texts", id="no texts"),
        pytest.param("batch", {"texts": "a"}, "texts", id="texts are text"),
        pytest.param("batch", {"texts": ["a"] * (MOST_TEXTS + 1)}, "texts", id="too many texts"),
        pytest.param("batch", {"texts": ["a", "b", " "]}, "texts[2]", id="one is blank"),
        pytest.param(
            "batch", {"texts": ["x" * (MOST_TOTAL // 9)] * 10}, "texts", id="too much in all"
        ),
        pytest.param(
            "batch", {"texts": ["a"], "task_type": "poem"}, "task_type", id="unknown task"
        ),
    ],
)
async def test_a_wrong_field_is_named_and_no_model_asked(aiohttp_client, name, body, field):
    model = Model()
    client = await aiohttp_client(application(model))

    error = (await ask(client, name, body, 400))["error"]

    assert error["code"] == "INVALID_INPUT"
    assert error["message"].startswith(field)
    assert model.requests == []


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("models", [(), (MODEL,)], ids=["no model", "only another model"])
async def test_a_model_that_the_policy_does_not_ask(aiohttp_client, name, models):
    client = await aiohttp_client(application(models=models))

    response = await client.post(f"/api/v1/classify/{name}", json=body_of(name))
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (503, "UNIFIED_CLASSIFIER_UNAVAILABLE")
    assert "text_signals is not loaded" in error["message"]
    assert "routing.signals" in error["message"]
    assert "Retry-After" not in response.headers


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    "failure",
    [
        InferenceUnavailable("text_signals: no connection"),
        InferenceTimeout("text_signals: too late"),
        ModelUntrusted("text_signals: its answers differ"),
    ],
    ids=lambda failure: failure.code,
)
async def test_a_model_that_does_not_answer(aiohttp_client, name, failure):
    client = await aiohttp_client(application(Model(failure=failure)))

    response = await client.post(f"/api/v1/classify/{name}", json=body_of(name))
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (503, "UNIFIED_CLASSIFIER_UNAVAILABLE")
    assert failure.code in error["message"]
    assert "text_signals" in error["message"]
    assert int(response.headers["Retry-After"]) > 0


async def test_a_guard_that_blocks_on_errors_does_not_make_a_failure_a_jailbreak(aiohttp_client):
    config = modules(prompt_guard={"on_error": "block"})
    broken = Model(failure=InferenceTimeout("too late"))
    client = await aiohttp_client(application(broken, config=config))

    await ask(client, "security", {"text": "hello"}, 503)


async def test_while_the_router_starts(aiohttp_client):
    def starting():
        raise NotStarted("the router is starting")

    classify = Classify(starting, starting, Config(), ("user", "groups"))
    client = await aiohttp_client(build(classify.endpoints(), Auth()))

    answer = await ask(client, "pii", {"text": "hello"}, 503)

    assert answer["error"]["code"] == "NOT_STARTED"


@pytest.mark.parametrize(
    ("role", "status"), [pytest.param("guest", 403, id="no"), pytest.param("viewer", 200, id="yes")]
)
@pytest.mark.parametrize("name", EVERY)
async def test_it_needs_the_permission_to_classify(aiohttp_client, name, role, status):
    roles = {"guest": frozenset({"metrics.read"}), "viewer": frozenset({"classify.invoke"})}
    auth = Auth("bearer", {"token": role}, roles)
    client = await aiohttp_client(application(auth=auth))

    response = await client.post(
        f"/api/v1/classify/{name}", json=body_of(name), headers={"Authorization": "Bearer token"}
    )

    assert response.status == status


async def test_no_text_is_logged_and_no_error_quotes_one(aiohttp_client, caplog):
    caplog.set_level(logging.DEBUG)
    canary = "canary-5b1e"
    broken = Model(failure=InferenceTimeout("too late"))
    client = await aiohttp_client(application())
    silent = await aiohttp_client(application(broken))
    said = ""
    for name in EVERY:
        await ask(client, name, body_of(name, f"{canary} {LETTER}"))
        said += json.dumps(await ask(silent, name, body_of(name, canary), 503))
        said += json.dumps(await ask(client, name, {"text": {canary: canary}}, 400))
        said += json.dumps(await ask(client, name, {"texts": [canary, {canary: 1}]}, 400))

    assert canary not in said + caplog.text


async def test_it_takes_the_fields_of_the_reference_that_it_does_not_know(aiohttp_client):
    client = await aiohttp_client(application())
    body = {
        "text": "hello",
        "context": 1,
        "options": {"detection_types": ["x"], "sensitivity": "h"},
    }

    assert (await ask(client, "security", body))["is_jailbreak"]
