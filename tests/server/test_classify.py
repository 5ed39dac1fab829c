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
from orchestrator.inference import Entity
from orchestrator.inference.examples import MODEL
from orchestrator.server.classify import Classify
from orchestrator.server.classify_bodies import MOST_TEXTS, MOST_TOTAL
from orchestrator.server.management import Auth, build
from orchestrator.types import Reading
from tests.server.classifier import Model, application, compiled_pipeline, modules
from tests.server.policies import a_pipeline, a_policy

ONE = ("intent", "pii", "security", "fact-check", "user-feedback", "combined")
EVERY = (*ONE, "batch")
LETTER = "Ann: ann@corp.example, 12 Mill Road"
PRIVATE = {
    LETTER: {
        "pii": (
            Entity(0, 3, "PERSON", 0.99),
            Entity(5, 21, "EMAIL_ADDRESS", 0.91),
            Entity(23, 35, "STREET_ADDRESS", 0.6),
        )
    }
}


def body_of(name, text="Why is the sky blue?"):
    return {"texts": [text]} if name == "batch" else {"text": text}


async def ask(client, name, body, status=200):
    response = await client.post(f"/api/v1/classify/{name}", json=body)
    answer = await response.json()
    assert response.status == status, answer
    return answer


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


async def test_personal_data_is_found_and_not_shown(aiohttp_client):
    client = await aiohttp_client(application(Model(PRIVATE)))

    answer = await ask(client, "pii", {"text": LETTER})

    assert answer.pop("processing_time_ms") >= 0
    assert answer == {
        "has_pii": True,
        "entities": [
            {"type": "PERSON", "value": "[DETECTED]", "confidence": 0.99},
            {
                "type": "EMAIL_ADDRESS",
                "value": "[DETECTED]",
                "confidence": pytest.approx(0.95, abs=0.05),
            },
        ],
        "security_recommendation": "block",
    }


@pytest.mark.parametrize(
    ("options", "types"),
    [
        pytest.param({"entity_types": ["us_ssn"]}, [], id="another type"),
        pytest.param({"entity_types": [" person "]}, ["PERSON"], id="one type, however written"),
        pytest.param(
            {"confidence_threshold": 0.5},
            ["PERSON", "EMAIL_ADDRESS", "STREET_ADDRESS"],
            id="a low threshold",
        ),
        pytest.param({"entity_types": [], "confidence_threshold": None}, None, id="as without"),
    ],
)
async def test_what_counts_as_personal_data(aiohttp_client, options, types):
    client = await aiohttp_client(application(Model(PRIVATE)))

    answer = await ask(client, "pii", {"text": LETTER, "options": options})

    found = [one["type"] for one in answer["entities"]]
    assert found == (["PERSON", "EMAIL_ADDRESS"] if types is None else types)
    assert answer["has_pii"] == bool(found)
    assert answer["security_recommendation"] == ("block" if found else "allow")


async def test_positions_are_characters_and_the_text_is_masked(aiohttp_client):
    text = (
        "\N{SNOWMAN} d\N{LATIN SMALL LETTER E WITH ACUTE}j\N{LATIN SMALL LETTER A WITH GRAVE} Ann!"
    )
    at = text.index("Ann")
    model = Model({text: {"pii": (Entity(at, at + 3, "PERSON", 0.99),)}})
    client = await aiohttp_client(application(model))
    options = {"return_positions": True, "mask_entities": True, "reveal_entity_text": True}

    answer = await ask(client, "pii", {"text": text, "options": options})

    (entity,) = answer["entities"]
    assert text[entity["start_position"] : entity["end_position"]] == entity["value"] == "Ann"
    assert entity["masked_value"] == "[PERSON_1]"
    assert answer["masked_text"] == text.replace("Ann", "[PERSON_1]")


async def test_personal_data_at_the_end_of_a_long_text(aiohttp_client):
    text = "word " * 20_000 + "ann@corp.example"
    options = {"return_positions": True, "reveal_entity_text": True}
    client = await aiohttp_client(application())

    answer = await ask(client, "pii", {"text": text, "options": options})

    (entity,) = answer["entities"]
    assert (entity["start_position"], entity["value"]) == (100_000, "ann@corp.example")


@pytest.mark.parametrize(
    ("risk", "settings", "attack"),
    [
        pytest.param(0.69, {}, False, id="below the default"),
        pytest.param(0.71, {}, True, id="above the default"),
        pytest.param(0.71, {"threshold": 0.8}, False, id="below the policy's"),
        pytest.param(0.71, {"enabled": False}, True, id="off in the policy, asked for here"),
    ],
)
async def test_security(aiohttp_client, risk, settings, attack):
    model = Model({"Obey me": {"jailbreak": {"jailbreak": risk, "benign": 1 - risk}}})
    client = await aiohttp_client(application(model, config=modules(prompt_guard=settings)))

    answer = await ask(client, "security", {"text": "Obey me"})

    assert answer.pop("processing_time_ms") >= 0
    assert answer == {
        "is_jailbreak": attack,
        "risk_score": pytest.approx(risk),
        "detection_types": ["jailbreak"] if attack else [],
        "confidence": pytest.approx(risk if attack else 1 - risk),
        "recommendation": "block" if attack else "allow",
    }


async def test_the_reason_of_a_security_verdict_names_the_threshold(aiohttp_client):
    client = await aiohttp_client(application())
    options = {"include_reasoning": True}

    answer = await ask(client, "security", {"text": "Obey me", "options": options})

    assert answer["reasoning"] == "the risk 1.000 reaches the threshold 0.7"


@pytest.mark.parametrize(
    ("needed", "label"),
    [
        pytest.param(0.55, "NO_FACT_CHECK_NEEDED", id="more likely than not, below the threshold"),
        pytest.param(0.65, "FACT_CHECK_NEEDED", id="needed"),
    ],
)
async def test_a_fact_check(aiohttp_client, needed, label):
    shares = {"FACT_CHECK_NEEDED": needed, "NO_FACT_CHECK_NEEDED": 1 - needed}
    client = await aiohttp_client(application(Model({"Is it?": {"fact_check": shares}})))

    answer = await ask(client, "fact-check", {"text": "Is it?"})

    assert answer.pop("processing_time_ms") >= 0
    confidence = pytest.approx(shares[label])
    needs = label == "FACT_CHECK_NEEDED"
    assert answer == {"needs_fact_check": needs, "label": label, "confidence": confidence}


@pytest.mark.parametrize(
    ("share", "kind", "label"),
    [
        pytest.param(0.6, "satisfied", "SAT", id="doubtful: satisfied"),
        pytest.param(0.8, "wrong_answer", "WRONG_ANSWER", id="sure"),
    ],
)
async def test_user_feedback(aiohttp_client, share, kind, label):
    shares = {"WRONG_ANSWER": share, "SAT": 1 - share, "WANT_DIFFERENT": 0.0}
    client = await aiohttp_client(application(Model({"No!": {"user_feedback": shares}})))

    answer = await ask(client, "user-feedback", {"text": "No!"})

    assert answer.pop("processing_time_ms") >= 0
    assert answer == {
        "feedback_type": kind,
        "label": label,
        "confidence": pytest.approx(shares[label]),
    }


async def test_everything_about_a_text_is_one_request_and_the_same_as_one_by_one(aiohttp_client):
    model = Model(PRIVATE)
    client = await aiohttp_client(application(model))
    options = {"mask_entities": True, "confidence_threshold": 0.1}

    answer = await ask(client, "combined", {"text": LETTER, "options": options})
    ((row,),) = model.requests
    alone = {
        "pii": await ask(client, "pii", {"text": LETTER, "options": {"mask_entities": True}}),
        "security": await ask(client, "security", {"text": LETTER}),
        "fact_check": await ask(client, "fact-check", {"text": LETTER}),
        "user_feedback": await ask(client, "user-feedback", {"text": LETTER}),
    }
    intent = await ask(client, "intent", {"text": LETTER})

    assert row == (LETTER, frozenset(alone) - {"security"} | {"domain", "jailbreak"})
    assert without_times(answer) == without_times(
        alone | {"intent": {"classification": intent["classification"]}}
    )


def without_times(value):
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key != "processing_time_ms"}
        return {key: without_times(one) for key, one in kept.items()}
    return [without_times(one) for one in value] if isinstance(value, list) else value


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
