"""A Triton that classifies."""

import numpy as np
import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference import Entity
from orchestrator.inference.rows import Row
from orchestrator.inference.triton import Usage
from tests.clock import Clock
from tests.inference.clients import over
from tests.inference.fake_models import TASKS, probabilities, vector
from tests.inference.fake_triton import FakeTriton

CLASSIFIER = {"tasks": {"m": TASKS}}


@pytest.mark.parametrize(
    ("model", "tasks", "message"),
    [
        pytest.param(
            "m", ["guard", "mood"], "no task 'mood'; the tasks are: domain, guard, pii", id="task"
        ),
        pytest.param("other", ["guard"], "other: it has no labels.json", id="model"),
    ],
)
async def test_what_a_model_cannot_do_is_not_asked(model, tasks, message):
    fake = FakeTriton()
    async with over(fake, **CLASSIFIER) as inference:
        with pytest.raises(InferenceError, match=message):
            await inference.classify(model, ["x"], tasks)

    assert fake.asked == []


async def test_texts_are_classified_in_order_and_only_for_what_is_asked():
    fake, seen = FakeTriton(max_batch=8), []
    texts = ["I am 42", "", "x" * 100 + " 5550123"]
    async with over(fake, **CLASSIFIER, on_usage=seen.append, clock=Clock()) as inference:
        answers = await inference.classify("m", texts, ["pii", "domain"])

    assert fake.asked == [[(text.encode(), "domain,pii") for text in texts]]
    assert sorted(fake.outputs[0]) == [
        "PROBS_domain",
        "SPANS_pii",
        "SPAN_SCORES_pii",
        "TRUNCATED",
        "UNREADABLE",
        "WINDOWS",
    ]
    assert [answer.entities["pii"] for answer in answers] == [
        (Entity(5, 7, "AGE", 0.75),),
        (),
        (Entity(101, 108, "PHONE", 0.75),),
    ]
    assert [answer.truncated for answer in answers] == [False, False, True]
    for answer, text in zip(answers, texts, strict=True):
        expected = probabilities(text.encode(), "domain").tolist()
        assert list(answer.probabilities["domain"].values()) == pytest.approx(expected)
    assert seen == [Usage("m", 3, 3, 1, 0.0, {"domain": 3, "pii": 3})]


async def test_rows_of_one_request_may_ask_for_different_things():
    fake = FakeTriton(max_batch=8)
    rows = [
        Row(b"a", frozenset({"guard"}), embeds=False),
        Row(b"b"),
        Row(b"7", frozenset({"domain", "pii"})),
    ]
    async with over(fake, **CLASSIFIER) as inference:
        answers = await inference.ask("m", rows)

    assert fake.asked == [[(b"a", "guard"), (b"b", ""), (b"7", "domain,pii")]]
    said = [answer.said for answer in answers]
    assert [sorted({**one.probabilities, **one.entities}) for one in said] == [
        ["guard"],
        [],
        ["domain", "pii"],
    ]
    assert answers[0].vector is None
    np.testing.assert_array_equal([a.vector for a in answers[1:]], [vector(b"b"), vector(b"7")])


async def test_a_classifier_that_embeds_is_asked_for_no_task():
    fake = FakeTriton()
    async with over(fake, **CLASSIFIER) as inference:
        await inference.embed("m", ["x"])

    assert fake.asked == [[(b"x", "")]]
    assert fake.outputs == [["EMBEDDING", "WINDOWS", "TRUNCATED", "UNREADABLE"]]


async def test_no_texts_no_classifications():
    async with over(FakeTriton(), **CLASSIFIER) as inference:
        assert await inference.classify("m", [], ["domain"]) == []
