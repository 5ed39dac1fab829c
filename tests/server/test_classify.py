"""What all of /api/v1/classify has in common: who may ask, what is refused, what fails."""

import asyncio
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
from orchestrator.matching.tokens import tokens
from orchestrator.server.classify import Classify
from orchestrator.server.classify_bodies import MOST_TEXTS, MOST_TOTAL
from orchestrator.server.management import Auth, build
from orchestrator.server.unavailable import allowance
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
            {"messages": [{"role": "user", "content": " "}]},
            "messages",
            id="messages without a text",
        ),
        pytest.param("intent", {"messages": []}, "text", id="neither messages nor a text"),
        pytest.param(
            "intent",
            {"messages": [{"role": "user"}]},
            "a message of the user needs content",
            id="a message without content",
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
        *(
            pytest.param(
                name, body_of(name) | {"options": {"treshold": 0.3}}, "options.treshold", id=name
            )
            for name in EVERY
        ),
        *(
            pytest.param(name, body_of(name) | {"contxt": 1}, "contxt", id=f"{name}: beside it")
            for name in EVERY
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


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("intent", {"include_explanation": True}, id="intent"),
        pytest.param("security", {"detection_types": ["x"], "sensitivity": "h"}, id="security"),
        pytest.param("fact-check", {"confidence_threshold": 0.5}, id="fact-check"),
        pytest.param("user-feedback", {"confidence_threshold": 0.5}, id="user-feedback"),
        pytest.param("batch", {"include_explanation": False, "sensitivity": None}, id="batch"),
    ],
)
async def test_options_of_the_reference_that_mean_nothing_here_are_taken(
    aiohttp_client, name, options
):
    client = await aiohttp_client(application())

    assert await ask(client, name, body_of(name) | {"options": options})


async def test_a_chat_request_to_intent_may_have_any_of_its_fields(aiohttp_client):
    client = await aiohttp_client(application())

    assert await ask(client, "intent", {"text": "hello", "top_k": 3, "user": "ann"})


async def test_a_task_that_is_not_known_is_told_beside_those_that_are(aiohttp_client):
    client = await aiohttp_client(application())

    answer = await ask(client, "batch", {"texts": ["a"], "task_type": "poem" * 99}, 400)

    said = "task_type: expected one of intent, pii, security, all, found 'poempoem"
    assert answer["error"]["message"].startswith(said)
    assert len(answer["error"]["message"]) < 150


class Silent(Model):
    """Never answers."""

    async def ask(self, model, rows):
        self.requests.append([(row.text.decode(), row.tasks) for row in rows])
        await asyncio.Event().wait()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("a", "text_signals did not answer within 0.05 s", id="short"),
        pytest.param(
            "long " * 2_000, "10000 bytes of text are too long for the deadline", id="long"
        ),
    ],
)
async def test_a_model_that_is_too_late_for_so_much_text(aiohttp_client, name, text, said):
    client = await aiohttp_client(application(Silent(), deadline=0.01))

    response = await client.post(f"/api/v1/classify/{name}", json=body_of(name, text))
    error = (await response.json())["error"]

    assert (response.status, error["code"]) == (503, "UNIFIED_CLASSIFIER_UNAVAILABLE")
    assert error["message"].startswith(said)
    assert "inference_timeout" in error["message"]
    assert ("global.services.triton.deadline" in error["message"]) == (len(text) > 1)
    assert ("/ready" in error["message"]) == (len(text) == 1)


@pytest.mark.parametrize("name", EVERY)
async def test_the_model_server_is_given_as_long_as_the_text_may_take(aiohttp_client, name):
    model = Model()
    client = await aiohttp_client(application(model, deadline=2.0))
    text = "long " * 2_000

    await ask(client, name, body_of(name, text))

    assert set(model.patience) == {allowance(2.0, tokens(text))}
