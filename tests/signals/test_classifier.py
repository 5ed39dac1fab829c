import logging

import pytest

from orchestrator.errors import InferenceError, InferenceTimeout, InferenceUnavailable, InvalidScore
from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.classifier import Classifier, ClassifierRule
from orchestrator.types import Reading, Request
from tests.signals.classifiers import PROMPTED, VALID

TASKS = {"risk": ("SAFE", "RISKY"), "size": ("S", "M", "L")}
SIZE = {"name": "how_big", "type": "local", "model_path": "size", "labels": ["L", "M", "S"]}
ANSWER = {"risk": {"SAFE": 0.2, "RISKY": 0.8}, "size": {"S": 0.2, "M": 0.5, "L": 0.3}}


def scripted(**texts):
    return FakeInference(classified={"text": ANSWER} | texts, names=TASKS)


def classifier(inference, *rows):
    return Classifier([ClassifierRule.model_validate(r) for r in rows], Surroundings(inference))


@pytest.mark.parametrize(
    ("row", "matches", "values"),
    [
        pytest.param(PROMPTED, {}, {}, id="a prompted model is not run"),
        pytest.param(
            VALID,
            {"risk:RISKY": 0.8},
            {"risk:SAFE": 0.2, "risk:RISKY": 0.8},
            id="two labels",
        ),
        pytest.param(
            SIZE,
            {"how_big:M": 0.5},
            {"how_big:S": 0.2, "how_big:M": 0.5, "how_big:L": 0.3},
            id="three labels, named otherwise than the task, in another order",
        ),
    ],
)
async def test_reads_each_label(row, matches, values):
    reading = await classifier(scripted(), row).evaluate(Request("auto", "text"))

    assert reading == Reading(matches, values)


async def test_all_rules_are_asked_in_one_call():
    inference = scripted()
    twin = VALID | {"name": "twin"}

    reading = await classifier(inference, VALID, SIZE, twin, PROMPTED | {"name": "llm"}).evaluate(
        Request("auto", "text")
    )

    assert list(reading.matches) == ["risk:RISKY", "how_big:M", "twin:RISKY"]
    assert inference.asked == [("text_signals", ("text",), ("risk", "size"))]


class Anywhere(FakeInference):
    async def classify(self, model, texts, tasks):
        for text in texts:
            share = 0.9 if "danger" in text else 0.1
            self.classified[text] = {"risk": {"SAFE": 1 - share, "RISKY": share}}
        return await super().classify(model, texts, tasks)


@pytest.mark.parametrize("words", [0, 2_000, 10_000])
async def test_of_a_long_text_the_highest_of_each_label_counts(words):
    text = "word " * words + "danger" + " word" * words

    reading = await classifier(Anywhere(names=TASKS), VALID).evaluate(Request("auto", text))

    safe = 0.9 if words else pytest.approx(0.1)
    assert (reading.values, reading.truncated) == ({"risk:RISKY": 0.9, "risk:SAFE": safe}, False)


async def test_a_very_long_text_is_read_in_part_and_that_is_told():
    reading = await classifier(Anywhere(names=TASKS), VALID).evaluate(
        Request("auto", "word " * 100_000)
    )

    assert reading.truncated


@pytest.mark.parametrize("text", ["", " \n"], ids=["empty", "blank"])
async def test_an_empty_text_has_no_label_and_asks_nobody(text):
    inference = scripted()

    assert await classifier(inference, VALID).evaluate(Request("auto", text)) == Reading()
    assert inference.asked == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        pytest.param(VALID | {"model_path": "models/tone"}, "'tone' is no task", id="no task"),
        pytest.param(
            VALID | {"labels": ["safe", "risky"]}, "'risk' has the labels SAFE, RISKY", id="labels"
        ),
        pytest.param(VALID | {"labels": ["SAFE", "RISKY", "X"]}, "has the labels", id="one more"),
    ],
)
async def test_what_the_model_does_not_have_stays_unknown_and_is_logged_once(row, said, caplog):
    caplog.set_level(logging.ERROR)
    signal = classifier(scripted(), row, SIZE)

    for _ in range(2):
        reading = await signal.evaluate(Request("auto", "text"))

    assert reading.unknown == {"risk": "classifier_evaluation_failed"}
    assert list(reading.matches) == ["how_big:M"]
    assert [said in one.message for one in caplog.records] == [True]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        pytest.param(InferenceTimeout("x"), "classifier_timeout", id="late"),
        pytest.param(InferenceUnavailable("x"), "classifier_evaluation_failed", id="away"),
        pytest.param(InvalidScore("x"), "classifier_invalid_score", id="no probability"),
        pytest.param(InferenceError("x"), "classifier_evaluation_failed", id="anything else"),
    ],
)
async def test_a_failure_makes_the_rule_unknown_for_a_reason_of_the_format(failure, reason):
    inference = FakeInference(failure=failure, names=TASKS)
    signal = classifier(inference, VALID, PROMPTED | {"name": "llm"})

    assert await signal.evaluate(Request("auto", "text")) == Reading(unknown={"risk": reason})
    assert await signal.fallback(Request("auto", "text"), failure.code) == Reading(
        unknown={"risk": reason}
    )


async def test_a_task_that_finds_entities_has_no_scores_and_stays_unknown():
    found = VALID | {"name": "found", "model_path": "spans", "labels": ["AGE", "EMAIL"]}
    risk = {"SAFE": 0.25, "RISKY": 0.75}
    inference = FakeInference(
        classified={"text": {"risk": risk, "spans": (Entity(0, 4, "AGE", 0.9),)}},
        names={"risk": ("SAFE", "RISKY"), "spans": ("AGE", "EMAIL")},
    )

    reading = await classifier(inference, VALID, found).evaluate(Request("auto", "text"))

    assert reading.unknown == {"found": "classifier_evaluation_failed"}
    assert reading.matches == {"risk:RISKY": 0.75}


async def test_where_nothing_says_the_labels_the_rule_is_unknown():
    class Nameless(FakeInference):
        def labels(self, model):
            raise InferenceError("no labels")

    reading = await classifier(Nameless(), VALID).evaluate(Request("auto", "text"))

    assert reading == Reading(unknown={"risk": "classifier_evaluation_failed"})


def test_what_runs_and_what_it_needs():
    rules = [ClassifierRule.model_validate(row) for row in (VALID, PROMPTED | {"name": "llm"})]

    assert (Classifier.runs, classifier(scripted(), VALID).not_run()) == (True, ())
    assert Classifier(rules, Surroundings(scripted())).not_run() == ("llm",)
    assert (Classifier.asks(rules, {}), Classifier.asks(rules[1:], {})) == (("text_signals",), ())
