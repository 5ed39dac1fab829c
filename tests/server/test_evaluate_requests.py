"""What a request to evaluate may say, and what is refused."""

import pytest

from orchestrator.server.evaluate import Evaluate, evaluate
from orchestrator.server.management import Auth, build
from tests.server.policies import LAW, a_pipeline, a_policy


async def client_of(aiohttp_client, pipeline):
    return await aiohttp_client(build(Evaluate(lambda: pipeline).endpoints(), Auth()))


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param({}, 400, "INVALID_INPUT", id="neither text nor messages"),
        pytest.param({"text": ""}, 400, "INVALID_INPUT", id="empty text"),
        pytest.param({"text": " \n\t"}, 400, "INVALID_INPUT", id="blank text"),
        pytest.param({"text": 5}, 400, "INVALID_INPUT", id="text is a number"),
        pytest.param({"text": "a", "options": []}, 400, "INVALID_INPUT", id="options is a list"),
        pytest.param({"text": "a", "model": 5}, 400, "INVALID_INPUT", id="model is a number"),
        pytest.param({"messages": "hi"}, 400, "INVALID_INPUT", id="messages is text"),
        pytest.param({"messages": [5]}, 400, "INVALID_INPUT", id="a message is a number"),
        pytest.param({"messages": []}, 400, "INVALID_INPUT", id="no messages"),
        pytest.param(
            {"messages": [{"role": "user"}]}, 400, "INVALID_INPUT", id="a message without content"
        ),
        pytest.param(
            {"text": "a", "model": "nope"}, 400, "INVALID_ROUTING_MODEL", id="unknown model"
        ),
        pytest.param(
            {"text": "a", "model": "big"},
            400,
            "INVALID_ROUTING_MODEL",
            id="a backend model: nothing is decided about it",
        ),
        pytest.param([], 400, "INVALID_INPUT", id="a list"),
    ],
)
async def test_refusals(aiohttp_client, body, status, code):
    client = await client_of(aiohttp_client, a_pipeline(LAW))

    response = await client.post("/api/v1/eval", json=body)

    assert response.status == status
    error = (await response.json())["error"]
    assert error["code"] == code
    assert error["message"]
    assert set(error) == {"code", "message", "timestamp"}


@pytest.mark.parametrize(
    ("body", "query", "traced"),
    [
        pytest.param({}, "", False, id="not asked for"),
        pytest.param({}, "?trace=false", False, id="refused in the query"),
        pytest.param({"options": {"trace": False}}, "", False, id="refused in the body"),
        pytest.param({}, "?trace=true", True, id="query"),
        pytest.param({"options": {"trace": True}}, "", True, id="body"),
    ],
)
async def test_the_trace_comes_on_request(aiohttp_client, body, query, traced):
    client = await client_of(aiohttp_client, a_pipeline(LAW))

    response = await client.post(f"/api/v1/eval{query}", json={"text": "hi", **body})

    assert ("eval_trace" in await response.json()) == traced


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        pytest.param("?trace=yes", {}, "trace must be true or false", id="yes"),
        pytest.param("?trace=", {}, "trace must be true or false", id="empty"),
        pytest.param("?trace=True", {}, "trace must be true or false", id="upper case"),
        pytest.param("?trace=1", {}, "trace must be true or false", id="a number"),
        pytest.param(
            "",
            {"evaluate_all_signal": True},
            "options.evaluate_all_signal: unknown key 'evaluate_all_signal'"
            " (did you mean 'evaluate_all_signals'?)",
            id="a misspelt option",
        ),
        pytest.param(
            "",
            {"confidence_treshold": 1},
            "options.confidence_treshold: unknown key 'confidence_treshold' (known:"
            " evaluate_all_signals, include_explanation, return_probabilities, trace)",
            id="near an option that has no effect",
        ),
        pytest.param(
            "", {"trace": "yes"}, "options.trace: Input should be a valid boolean", id="a text"
        ),
    ],
)
async def test_what_is_not_understood_is_refused(aiohttp_client, query, options, message):
    client = await client_of(aiohttp_client, a_pipeline(LAW))

    response = await client.post(f"/api/v1/eval{query}", json={"text": "hi", "options": options})

    assert response.status == 400
    assert (await response.json())["error"]["message"] == message


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(None, id="null"),
        pytest.param({}, id="none"),
        pytest.param({"trace": None}, id="a null option"),
        pytest.param({"confidence_threshold": 0.9}, id="one of the format, without effect"),
    ],
)
async def test_options_that_ask_for_nothing(aiohttp_client, options):
    client = await client_of(aiohttp_client, a_pipeline(LAW))

    response = await client.post("/api/v1/eval", json={"text": "hi", "options": options})

    assert response.status == 200
    answer = await response.json()
    assert not {"eval_trace", "probabilities", "explanation"} & answer.keys()


@pytest.mark.parametrize(
    ("model", "requested"),
    [
        pytest.param({}, "auto", id="absent"),
        pytest.param({"model": ""}, "auto", id="empty"),
        pytest.param({"model": None}, "auto", id="null"),
        pytest.param({"model": " auto "}, "auto", id="with blanks around"),
    ],
)
async def test_no_model_means_the_automatic_one(model, requested):
    answer = await evaluate(a_pipeline(LAW), {"text": "hi", **model})

    assert answer["requested_model"] == requested
    assert answer["recipe"] == "default"


async def test_a_routed_name_selects_its_recipe():
    pipeline = a_pipeline({}, legal=a_policy(LAW, recipe="legal"))

    answer = await evaluate(pipeline, {"text": "hi", "model": "legal-route"})

    assert (answer["recipe"], answer["routing_decision"]) == ("legal", "lawyer")
    assert answer["requested_model"] == "legal-route"


async def test_the_signals_see_what_the_chat_endpoint_would_show_them():
    pipeline = a_pipeline(LAW)
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "First?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [{"type": "text", "text": "Second?"}]},
    ]
    body = {
        "messages": messages,
        "tools": [{"type": "function", "function": {"name": "search"}}],
        "metadata": {"tenant": "a"},
        "max_tokens": 100,
        "unheard_of": 1,
    }

    answer = await evaluate(pipeline, body, headers={"x-authz-user-id": "ada"})

    ((request, _),) = pipeline.policies["default"].evaluation.asked
    assert answer["original_text"] == request.text == "Second?"
    assert request.prior_user_texts == ("First?",)
    assert request.non_user_texts == ("Be brief.", "Yes.")
    assert request.metadata == {"tenant": "a"}
    assert request.shape.tool_definitions == 1
    assert request.identity.user == "ada"
    assert request.body["messages"] == messages


async def test_messages_win_over_text():
    answer = await evaluate(
        a_pipeline(LAW),
        {"text": "ignored", "messages": [{"role": "user", "content": "asked"}]},
    )

    assert answer["original_text"] == "asked"
