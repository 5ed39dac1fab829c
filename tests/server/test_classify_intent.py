"""The subject of a text, and the route that it takes."""

import pytest

from orchestrator.types import Reading
from tests.server.classifier import Model, application, compiled_pipeline, modules
from tests.server.classify_requests import ask
from tests.server.policies import a_pipeline, a_policy

ROUTED = {
    "word": Reading(matches={"urgent": None}),
    "topic": Reading(matches={"law": 0.83}),
    "size": Reading(unknown={"long": "inference_timeout"}),
}

SUIT = {"Sue them!": {"domain": {"law": 0.75, "business": 0.25, "psychology": 0.0}}}


async def test_an_intent_is_the_subject_and_the_route(aiohttp_client):
    client = await aiohttp_client(application(Model(SUIT), pipeline=a_pipeline(ROUTED)))

    answer = await ask(client, "intent", {"text": "Sue them!"})

    assert answer["classification"].pop("processing_time_ms") >= 0
    assert answer == {
        "classification": {"category": "law", "confidence": 0.75},
        "recommended_model": "big-law",
        "routing_decision": "lawyer",
        "matched_signals": {"words": ["urgent"], "topics": ["law"], "size": [], "projection": []},
        "decision_result": {
            "decision_name": "lawyer",
            "confidence": pytest.approx((1.0 + 0.83) / 2),
            "matched_rules": ["word:urgent", "topic:law"],
        },
        "signal_errors": answer["signal_errors"],
    }
    assert list(answer["signal_errors"]) == ["size"]


@pytest.mark.parametrize(
    ("options", "settings", "category", "confidence"),
    [
        pytest.param({}, {}, "law", 0.75, id="the policy's threshold"),
        pytest.param({"confidence_threshold": 0.8}, {}, "other", 0.75, id="below the request's"),
        pytest.param({}, {"threshold": 0.8}, "other", 0.75, id="below the policy's"),
        pytest.param(
            {},
            {"threshold": 0.8, "fallback_category": "small talk"},
            "small talk",
            0.75,
            id="named",
        ),
        pytest.param(
            {"confidence_threshold": 0.0}, {"threshold": 0.8}, "law", 0.75, id="none at all"
        ),
        pytest.param({}, {"enabled": False}, "law", 0.75, id="off in the policy, asked for here"),
    ],
)
async def test_the_category_below_a_threshold(
    aiohttp_client, options, settings, category, confidence
):
    config = modules(classifier={"domain": settings})
    client = await aiohttp_client(application(Model(SUIT), config=config))

    answer = await ask(client, "intent", {"text": "Sue them!", "options": options})

    said = answer["classification"]
    assert (said["category"], said["confidence"]) == (category, confidence)


async def test_probabilities_and_traces_come_when_asked_for(aiohttp_client):
    client = await aiohttp_client(application(Model(SUIT), pipeline=a_pipeline(ROUTED)))
    options = {"return_probabilities": True, "trace": True}

    answer = await ask(client, "intent", {"text": "Sue them!", "options": options})

    assert len(answer["probabilities"]) == 14
    assert sum(answer["probabilities"].values()) == pytest.approx(1.0)
    assert [one["decision_name"] for one in answer["eval_trace"]] == ["lawyer", "long"]
    assert answer["projection_trace"]


@pytest.mark.parametrize("all_signals", [False, True])
async def test_all_signals_are_read_when_asked_for(aiohttp_client, all_signals):
    policy = a_policy(ROUTED)
    pipeline = a_pipeline(ROUTED, other=policy)
    client = await aiohttp_client(application(Model(SUIT), pipeline=pipeline))
    options = {"evaluate_all_signals": all_signals}

    await ask(client, "intent", {"text": "Sue!", "model": "other-route", "options": options})

    ((_, families),) = policy.evaluation.asked
    assert (families is None) == all_signals


async def test_messages_and_headers_are_read_as_a_chat_request(aiohttp_client):
    policy = a_policy(ROUTED)
    pipeline = a_pipeline(ROUTED, other=policy)
    model = Model()
    client = await aiohttp_client(application(model, pipeline=pipeline))
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Sue them!"},
    ]

    response = await client.post(
        "/api/v1/classify/intent",
        json={"messages": messages, "model": "other-route"},
        headers={"X-User": "ann", "X-Groups": "a, b"},
    )

    assert response.status == 200
    ((request, _),) = policy.evaluation.asked
    assert (request.identity.user, request.identity.groups) == ("ann", ("a", "b"))
    assert request.non_user_texts == ("Be kind.",)
    assert model.requests == [[("Sue them!", frozenset({"domain"}))]]


async def test_any_field_of_a_chat_request_is_taken(aiohttp_client):
    client = await aiohttp_client(application(Model(SUIT), pipeline=a_pipeline(ROUTED)))
    chat = {"temperature": 0.5, "tools": [], "stream": False, "top_k": 3, "metadata": {"a": "b"}}

    answer = await ask(client, "intent", {"text": "Sue them!", "no_such_field": None} | chat)

    assert answer["classification"]["category"] == "law"


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        pytest.param("temprature", "did you mean 'temperature'?", id="misspelt"),
        pytest.param("txt", "did you mean 'text'?", id="misspelt text"),
        pytest.param("zzzzzzzzzz", "none is like it", id="like no other"),
    ],
)
async def test_a_field_that_no_chat_request_has_is_refused(aiohttp_client, field, hint):
    client = await aiohttp_client(application(Model(SUIT), pipeline=a_pipeline(ROUTED)))

    error = (await ask(client, "intent", {"text": "Sue them!", field: 1}, 400))["error"]

    assert error["message"] == f"{field}: unknown key {field!r} ({hint})"


LEARNED = """
version: v0.3
providers:
  defaults: {default_model: small}
routing:
  modelCards: [{name: small}, {name: big}]
  signals:
    domains: [{name: legal, mmlu_categories: [law]}]
    jailbreak: [{name: attack}]
  decisions:
    - name: lawyer
      rules:
        operator: AND
        conditions:
          - {type: domain, name: legal}
          - {operator: NOT, conditions: [{type: jailbreak, name: attack}]}
      modelRefs: [{model: big}]
"""


async def test_the_subject_travels_with_what_the_policy_asks_of_the_text(aiohttp_client):
    says = {"Sue them!": SUIT["Sue them!"] | {"jailbreak": {"jailbreak": 0.0, "benign": 1.0}}}
    model = Model(says)
    client = await aiohttp_client(application(model, pipeline=compiled_pipeline(LEARNED)))

    answer = await ask(client, "intent", {"text": "Sue them!"})

    assert model.requests == [[("Sue them!", frozenset({"domain", "jailbreak"}))]]
    assert answer["classification"]["category"] == "law"
    assert (answer["routing_decision"], answer["recommended_model"]) == ("lawyer", "big")
    assert answer["decision_result"]["matched_rules"] == ["domain:legal"]
    assert answer["matched_signals"]["domains"] == ["legal"]


@pytest.mark.parametrize("model", ["big", "nobody"])
async def test_nothing_is_decided_about_a_backend_model_or_an_unknown_one(aiohttp_client, model):
    client = await aiohttp_client(application())

    answer = await ask(client, "intent", {"text": "a", "model": model}, 400)

    assert answer["error"]["code"] == "INVALID_ROUTING_MODEL"
