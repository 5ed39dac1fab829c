"""What is known by its own form, beside the model and without it."""

import asyncio

import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.evaluation import Evaluation
from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.questions import ask, cuts
from orchestrator.matching.personal import Personal
from orchestrator.matching.pieces import MOST_BYTES, MOST_READ
from orchestrator.signals import Surroundings
from orchestrator.signals.pii import Pii, PiiRule, entities
from orchestrator.types import Reading, Request
from tests.signals.personal import CARD, NAME, SCORE, Reader, pii


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "nothing", Reading(unknown={"any": "inference_unavailable"}), id="nothing checked"
        ),
        pytest.param(
            NAME, Reading(unknown={"any": "inference_unavailable"}), id="a name has no form"
        ),
        pytest.param(f"pay with {CARD}", Reading({"any": None}, {"any": 0.99}), id="a card"),
    ],
)
async def test_without_the_model_what_was_checked_still_matches(text, expected):
    signal = pii(Reader(failure=InferenceUnavailable("away")))

    assert await signal.evaluate(Request("auto", text)) == expected
    assert await signal.fallback(Request("auto", text), "inference_unavailable") == expected


async def test_without_the_model_a_hit_that_is_allowed_leaves_the_rule_unknown():
    signal = pii(
        Reader(failure=InferenceUnavailable("away")), {"pii_types_allowed": ["CREDIT_CARD"]}
    )

    reading = await signal.evaluate(Request("auto", CARD))

    assert (reading.matches, list(reading.unknown)) == ({}, ["any"])


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        pytest.param(100_000, 100_000, [], id="between the pieces"),
        pytest.param(0, 200_000, ["any"], id="at the head"),
        pytest.param(200_000, 0, ["any"], id="at the tail"),
    ],
)
@pytest.mark.parametrize("failure", [None, InferenceUnavailable("x")], ids=["model", "no model"])
async def test_of_a_very_long_text_a_part_is_checked(before, after, found, failure):
    text = "word " * before + CARD + " word" * after

    reading = await pii(Reader(failure=failure)).evaluate(Request("auto", text))

    assert (list(reading.matches), reading.truncated) == (found, True)
    assert set(reading.unknown) == {"any"} - {*found}


class Counted(Personal):
    def __init__(self):
        super().__init__()
        self.read = []

    def find(self, text):
        self.read.append(text)
        return super().find(text)


class Around(Surroundings):
    """With validators of the test's own."""

    personal = Counted

    def shared(self, make):
        return super().shared(self.personal if make is Personal else make)


class Silent(FakeInference):
    async def classify(self, model, texts, tasks):
        await asyncio.Event().wait()


LATE = "inference_timeout"


@pytest.mark.parametrize(
    ("inference", "deadline", "unknown"),
    [
        pytest.param(Reader(), 60, {}, id="answers"),
        pytest.param(
            Reader(failure=InferenceUnavailable("x")),
            60,
            {"any": "inference_unavailable"},
            id="fails",
        ),
        pytest.param(Silent(), 0.2, {"any": LATE}, id="is late"),
    ],
)
async def test_a_text_is_checked_once_whatever_the_model_does(inference, deadline, unknown):
    around = Around(inference)
    signal = Pii([PiiRule(name="any")], around)
    text = "word " * 2_000

    evaluation = Evaluation({"pii": signal}, default_deadline=deadline)

    facts = await evaluation.facts(Request("auto", text))

    assert facts.readings["pii"].unknown == unknown
    assert around.shared(Personal).read == [text]


async def test_of_a_very_long_text_as_much_is_checked_as_the_model_reads():
    around = Around(Reader())

    await Pii([PiiRule(name="any")], around).evaluate(Request("auto", "7" * 1_000_000))

    assert 0 < sum(map(len, around.shared(Personal).read)) <= MOST_READ


async def test_an_entity_that_two_pieces_share_is_told_once():
    for before in range(MOST_BYTES - 600, MOST_BYTES + 20, 31):
        text = "x" * (before - 1) + " " + NAME + " " + "y" * MOST_BYTES

        (answer,) = await ask(Reader((NAME, "PERSON")), cuts([text]), ["pii"])
        found = entities(text, answer, Personal())

        assert found == (Entity(before, before + len(NAME), "PERSON", SCORE),)
