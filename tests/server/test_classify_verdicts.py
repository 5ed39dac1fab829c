"""Personal data, attacks, facts and feedback, by themselves and in one answer."""

import pytest

from orchestrator.inference import Entity
from tests.server.classifier import Model, application, modules
from tests.server.classify_requests import LETTER, PRIVATE, ask


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
