import pytest

from orchestrator.errors import InferenceTimeout
from orchestrator.inference import Entity
from orchestrator.inference.pacing import MOST_TEXTS
from orchestrator.inference.rows import MOST_ROWS
from orchestrator.server.classify_batch import EVERY, TASKS
from tests.server.classifier import Model, application

SAYINGS = {
    "Sue!": {"domain": {"law": 0.75, "psychology": 0.25}, "jailbreak": {"jailbreak": 0.25}},
    "Ann": {"domain": {"law": 0.25, "psychology": 0.0}, "pii": (Entity(0, 3, "PERSON", 0.95),)},
}


async def batch(client, texts, status=200, **fields):
    response = await client.post("/api/v1/classify/batch", json={"texts": texts, **fields})
    answer = await response.json()
    assert response.status == status, answer
    return answer


@pytest.mark.parametrize(
    ("task", "key", "distribution", "average", "low"),
    [
        pytest.param("", "classification", {"law": 1, "other": 1}, 0.5, 1, id="none named"),
        pytest.param("intent", "classification", {"law": 1, "other": 1}, 0.5, 1, id="intent"),
        pytest.param("pii", "has_pii", {"PERSON": 1}, 0.95, 0, id="pii"),
        pytest.param(
            "security", "is_jailbreak", {"benign": 1, "jailbreak": 1}, 0.875, 0, id="security"
        ),
        pytest.param("all", "user_feedback", {"law": 1, "other": 1}, 0.5, 1, id="all"),
    ],
)
async def test_each_task(aiohttp_client, task, key, distribution, average, low):
    model = Model(SAYINGS)
    client = await aiohttp_client(application(model))

    answer = await batch(client, ["Sue!", "Ann"], task_type=task)

    assert answer["total_count"] == len(answer["results"]) == 2
    assert all(key in one for one in answer["results"])
    assert answer["statistics"] == {
        "category_distribution": distribution,
        "avg_confidence": pytest.approx(average),
        "low_confidence_count": low,
    }
    (request,) = model.requests
    assert [text for text, _ in request] == ["Sue!", "Ann"]


async def test_results_are_in_order_and_what_each_endpoint_says(aiohttp_client):
    client = await aiohttp_client(application(Model(SAYINGS)))
    texts = ["Ann", "Sue!", "Ann"]
    options = {"mask_entities": True, "confidence_threshold": 0.96}

    found = (await batch(client, texts, task_type="pii", options=options))["results"]
    lower = {"mask_entities": True}
    least = (await batch(client, texts, task_type="pii", options=lower))["results"]

    assert [one["masked_text"] for one in found] == texts
    assert [one["masked_text"] for one in least] == ["[PERSON_1]", "Sue!", "[PERSON_1]"]


async def test_many_texts_are_asked_a_few_at_a_time(aiohttp_client):
    model = Model()
    client = await aiohttp_client(application(model))
    texts = [f"text {number}" for number in range(3 * MOST_TEXTS + 1)]

    answer = await batch(client, texts, task_type="all")

    assert answer["total_count"] == len(texts)
    of_each = MOST_TEXTS // MOST_ROWS
    assert [len(one) for one in model.requests] == [MOST_ROWS] * 3 * of_each + [1]
    assert [text for one in model.requests for text, _ in one] == texts


async def test_one_failure_fails_the_batch_and_nothing_more_is_asked(aiohttp_client):
    model = Model(failure=InferenceTimeout("too late"))
    client = await aiohttp_client(application(model))

    await batch(client, [f"text {number}" for number in range(40)], 503, task_type="all")

    assert len(model.requests) == MOST_TEXTS // MOST_ROWS


def test_a_task_of_a_batch_is_a_part_of_everything():
    assert set(TASKS) - {"all"} <= set(EVERY)
