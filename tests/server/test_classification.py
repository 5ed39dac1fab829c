"""What the API says is what the signals of a policy say of the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.schema import Config
from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.server.classification import KINDS, Classification
from orchestrator.signals import Surroundings, domain, fact_check, jailbreak, pii, user_feedback
from orchestrator.types import Request
from tests.server.classifier import LABELS, modules

THRESHOLDS = st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 1.0])
SHARES = st.lists(st.integers(1, 9), min_size=14, max_size=14)


def config_of(threshold):
    return Config.model_validate(
        modules(
            prompt_guard={"threshold": threshold},
            classifier={"domain": {"threshold": threshold}, "pii": {"threshold": threshold}},
            hallucination_mitigation={"fact_check": {"threshold": threshold}},
            feedback_detector={"threshold": threshold},
        )
    )


def surroundings(config, inference):
    catalog = config.global_.model_catalog.modules
    blocks = {
        "domain": catalog.classifier.domain,
        "pii": catalog.classifier.pii,
        "jailbreak": catalog.prompt_guard,
        "fact_check": catalog.hallucination_mitigation.fact_check,
        "user_feedback": catalog.feedback_detector,
    }
    return Surroundings(inference, {name: block.model_dump() for name, block in blocks.items()})


def saying(task, weights):
    labels = LABELS[task]
    total = sum(weights[: len(labels)])
    shares = {one: weight / total for one, weight in zip(labels, weights, strict=False)}
    return FakeInference(classified={"Is it so?": {task: shares}})


async def read(kind, rules, config, inference):
    signal = kind([kind.Rule.model_validate(row) for row in rules], surroundings(config, inference))
    request = Request("auto", "Is it so?", user_text="Is it so?", has_assistant_reply=True)
    return await signal.evaluate(request)


@given(SHARES, THRESHOLDS)
async def test_the_intent_is_the_surest_domain_that_matches(weights, threshold):
    config, inference = config_of(threshold), saying("domain", weights)
    rules = [{"name": name} for name in domain.SUBJECTS]

    reading = await read(domain.Domain, rules, config, inference)
    said = await Classification(config).intent(inference, Request("auto", "Is it so?"))

    surest = max(reading.matches.values(), default=None)
    assert said.sure == bool(reading.matches)
    if surest is None:
        assert said.name == "other"
    else:
        assert (reading.matches[said.name], said.confidence) == (surest, surest)


@given(SHARES, THRESHOLDS)
async def test_security_is_the_jailbreak_signal(weights, threshold):
    config, inference = config_of(threshold), saying("jailbreak", weights)

    reading = await read(jailbreak.Jailbreak, [{"name": "rule"}], config, inference)
    said = await Classification(config).security(inference, "Is it so?")

    assert said.sure == ("rule" in reading.matches)
    assert said.shares == {"jailbreak": reading.values["rule"]}


@given(SHARES, THRESHOLDS)
async def test_facts_are_the_fact_check_signal(weights, threshold):
    config, inference = config_of(threshold), saying("fact_check", weights)
    rules = [{"name": "needs_fact_check"}, {"name": "no_fact_check_needed"}]

    reading = await read(fact_check.FactCheck, rules, config, inference)
    said = await Classification(config).facts(inference, "Is it so?")

    assert {said.name} == set(reading.matches)
    assert said.confidence == reading.values[said.name]


@given(SHARES, THRESHOLDS)
async def test_feedback_is_the_user_feedback_signal(weights, threshold):
    config, inference = config_of(threshold), saying("user_feedback", weights)
    rules = [{"name": name} for name in user_feedback.LABELS]

    reading = await read(user_feedback.UserFeedback, rules, config, inference)
    said = await Classification(config).feedback(inference, "Is it so?")

    assert {said.name} == set(reading.matches)


GERMAN = "Darf mein Vermieter die Wohnung betreten?"


@pytest.mark.parametrize("ask", ["intent", "facts", "feedback"])
async def test_texts_in_a_language_that_signals_refuse_are_answered(ask):
    config = Config.model_validate({})
    task = {"intent": "domain", "facts": "fact_check", "feedback": "user_feedback"}[ask]
    shares = dict.fromkeys(LABELS[task], 0.0) | {LABELS[task][0]: 1.0}
    inference = FakeInference(classified={GERMAN: {task: shares}}, knows={task: ["en"]})
    asked = Request("", GERMAN) if ask == "intent" else GERMAN

    said = await getattr(Classification(config), ask)(inference, asked)

    assert said.confidence == 1.0


@pytest.mark.parametrize("score", [0.4, 0.5, 0.95])
async def test_privacy_is_the_pii_signal(score):
    config = config_of(0.5)
    entity = Entity(0, 2, "PERSON", score)
    inference = FakeInference(classified={"Is it so?": {"pii": (entity,)}})

    reading = await read(pii.Pii, [{"name": "rule"}], config, inference)
    known = Classification(config)
    said = await known.privacy(inference, "Is it so?")

    assert said.entities == (entity,)
    assert (score >= known.private_from) == ("rule" in reading.matches)


def test_each_family_is_known_by_the_name_of_its_task():
    """Settings are handed to signals by family, and here by task."""
    assert {name: [*kind.tasks] for name, kind in KINDS.items()} == {name: [name] for name in KINDS}
    assert {kind.__module__.rsplit(".", 1)[1] for kind in KINDS.values()} == set(KINDS)
