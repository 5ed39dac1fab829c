"""Long texts through the guards and a real tritonserver: nothing of them is left out."""

import asyncio
import json
import random

import pytest
import pytest_asyncio

from orchestrator.evaluation import Evaluation
from orchestrator.inference import Entity
from orchestrator.inference.gathering import Gathering
from orchestrator.inference.pacing import AT_ONCE
from orchestrator.inference.questions import TEXT_SIGNALS, ask, cuts
from orchestrator.inference.repository import default_repository
from orchestrator.inference.tasks import load_tasks
from orchestrator.inference.triton import TritonInference
from orchestrator.matching.personal import Personal
from orchestrator.signals import Surroundings
from orchestrator.signals.jailbreak import Jailbreak, JailbreakRule
from orchestrator.signals.pii import Pii, PiiRule, entities
from orchestrator.types import Request

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

GOLDENS = json.loads(
    (default_repository() / TEXT_SIGNALS / "goldens.json").read_text(encoding="utf-8")
)
CANARIES = dict(zip(GOLDENS["names"], GOLDENS["texts"], strict=True))
PERSON = CANARIES["canary pii: PERSON"]
ATTACK = CANARIES["canary jailbreak: jailbreak"]
WORDS = "the river rises by two metres every spring and floods the lower meadows".split()


def words(count, seed=0):
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(count))


class Counting(TritonInference):
    """Records the texts that leave, and how many requests are on their way at most."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.rows, self.flying, self.most = [], 0, 0

    async def ask(self, model, rows):
        self.rows += rows
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            return await super().ask(model, rows)
        finally:
            self.flying -= 1


@pytest_asyncio.fixture(loop_scope="session")
async def source(triton):
    tasks = {TEXT_SIGNALS: load_tasks(default_repository(), TEXT_SIGNALS)}
    source = Counting([triton], timeout_s=60, tasks=tasks)
    yield source
    await source.close()


async def test_personal_data_behind_the_first_window_is_found_where_it_stands(source):
    text = f"{words(690)}. {PERSON} {words(200)}"

    (answer,) = await ask(Gathering(source), cuts([text]), ["pii"])
    found = entities(text, answer, Personal())

    (said,) = [one for one in answer.parts if PERSON in text[one.start : one.stop]]
    assert said.said.windows > 3
    start, stop, _, _ = GOLDENS["entities"]["pii"][GOLDENS["names"].index("canary pii: PERSON")][0]
    at = text.index(PERSON)
    assert (at + start, at + stop) in {(one.start, one.stop) for one in found}
    assert all(isinstance(one, Entity) and text[one.start : one.stop].strip() for one in found)


async def test_all_guards_read_all_of_a_long_text_in_one_pass(source):
    text = f"{words(2_500)}. {ATTACK} {words(2_500, seed=1)}"
    around = Surroundings(Gathering(source))
    signals = {
        "jailbreak": Jailbreak([JailbreakRule(name="attack", threshold=1.0)], around),
        "pii": Pii([PiiRule(name="private")], around),
    }

    facts = await Evaluation(signals, default_deadline=60).facts(Request("auto", text))

    pieces = cuts([text])[0].pieces
    assert sorted(row.text.decode() for row in source.rows) == sorted(one.text for one in pieces)
    assert {row.tasks for row in source.rows} == {frozenset({"jailbreak", "pii"})}
    assert AT_ONCE <= source.most <= AT_ONCE + 1  # a short last piece goes beside another
    (holder,) = [one for one in pieces if ATTACK in one.text]
    (alone,) = await source.classify(TEXT_SIGNALS, [holder.text], ["jailbreak"])
    value = facts.readings["jailbreak"].values["attack"]
    assert value >= alone.probabilities["jailbreak"]["jailbreak"] - 0.01
    assert not any(one.unknown or one.truncated for one in facts.readings.values())


async def test_who_goes_takes_the_rest_of_the_text_back(source):
    around = Surroundings(Gathering(source))
    signals = {"pii": Pii([PiiRule(name="private")], around)}
    request = Request("auto", words(20_000))

    asking = asyncio.create_task(Evaluation(signals, default_deadline=60).facts(request))
    async with asyncio.timeout(30):
        while source.flying < AT_ONCE:
            await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])

    async with asyncio.timeout(30):
        while source.flying:
            await asyncio.sleep(0)
    assert asking.cancelled()
    assert len(source.rows) == AT_ONCE
