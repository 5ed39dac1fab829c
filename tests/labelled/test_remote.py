"""Against the real endpoints, over a scripted model."""

import aiohttp
import pytest

from orchestrator.errors import RequestError, UpstreamError, UpstreamUnavailable
from orchestrator.inference import Entity
from orchestrator.inference.gathering import Gathering
from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import asking
from orchestrator.labelled.remote import WAYS, Router
from orchestrator.server.classify_bodies import MOST_TOTAL
from orchestrator.server.management import Auth
from tests.processes import free_ports
from tests.server.classifier import LABELS, Model, application

TASKS = {
    name: Task(labels, name == "pii", labels[1:] if name == "jailbreak" else ())
    for name, labels in LABELS.items()
}
MAIL = "Ann: ann@example.org"
SAYINGS = {
    "is it legal": {
        "domain": {"law": 0.75, "other": 0.25},
        "jailbreak": {"benign": 0.9, "jailbreak": 0.1},
        "fact_check": {"NO_FACT_CHECK_NEEDED": 0.45, "FACT_CHECK_NEEDED": 0.55},
    },
    MAIL: {
        "domain": {"other": 0.5, "history": 0.5},
        "jailbreak": {"benign": 0.2, "jailbreak": 0.8},
        "pii": [Entity(0, 3, "PERSON", 0.3)],
        "fact_check": {"NO_FACT_CHECK_NEEDED": 0.1, "FACT_CHECK_NEEDED": 0.9},
    },
}


@pytest.fixture
def router(aiohttp_client):
    async def start(model=None, token="", **options):
        client = await aiohttp_client(application(model or Model(SAYINGS), **options))
        return Router(client.session, str(client.make_url("/")), token)

    return start


@pytest.mark.parametrize("name", WAYS)
async def test_a_router_says_what_its_models_say(router, name):
    texts = list(SAYINGS)
    model = Model(SAYINGS)
    there = (await router(model)).asking(name, TASKS[name])
    here = asking(Gathering(model))(name, TASKS[name])

    for found, wanted in zip(await there(texts), await here(texts), strict=True):
        assert found.probabilities == pytest.approx(wanted.probabilities)
        assert found.united == wanted.united
        assert found.alone is None or not TASKS[name].spans


async def test_entities_come_whatever_their_score(router):
    [found] = await (await router()).asking("pii", TASKS["pii"])([MAIL])

    assert [(one.label, one.score) for one in found.united] == [
        ("PERSON", 0.3),
        ("EMAIL_ADDRESS", pytest.approx(0.95, abs=0.05)),
    ]


async def test_more_than_a_body_may_hold_is_asked_one_by_one(router):
    texts = ["well " * (MOST_TOTAL // 15)] * 4
    model = Model()

    found = await (await router(model)).asking("jailbreak", TASKS["jailbreak"])(texts)

    assert len(found) == 4
    assert {one.probabilities for one in found} == {(0.0, 1.0)}


async def test_a_task_that_is_not_told_is_refused(router):
    there = await router()

    with pytest.raises(RequestError, match="'user_feedback', only those of domain, jailbreak"):
        there.asking("user_feedback", TASKS["user_feedback"])


async def test_a_router_without_the_model_says_so(router):
    there = (await router(models=())).asking("domain", TASKS["domain"])

    with pytest.raises(UpstreamError, match="answered 503: .*not loaded"):
        await there(["a"])


async def test_nobody_there():
    [port] = free_ports(1)
    async with aiohttp.ClientSession() as session:
        there = Router(session, f"http://127.0.0.1:{port}").asking("domain", TASKS["domain"])
        with pytest.raises(UpstreamUnavailable, match="/api/v1/classify/batch: "):
            await there(["a"])


async def test_a_token_is_sent(router):
    auth = Auth("bearer", {"tk-good": "viewer"})

    good = (await router(token="tk-good", auth=auth)).asking("domain", TASKS["domain"])
    bad = (await router(token="tk-bad", auth=auth)).asking("domain", TASKS["domain"])

    assert len(await good(["a"])) == 1
    with pytest.raises(UpstreamError, match="answered 401"):
        await bad(["a"])
