"""What Checkup asks of a model that sees pictures; of one that reads texts see test_checkup.py."""

import asyncio
import contextlib
import re

import numpy as np
import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference.checkup import PARTS, Checkup
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.judging import PROBE_PICTURE, load_reference, probe
from orchestrator.inference.model_server import Fault
from tests.clock import Clock
from tests.inference.fake_models import vector
from tests.inference.fake_triton import LOST, FakeTriton, serving
from tests.inference.golden_files import write_goldens, write_pictures

LIMIT_S = 20.0
STEPS = {"image_preprocess": 2, "encoder": 3}


def ensemble(**options):
    fake = FakeTriton(**options)
    fake.steps = STEPS
    return fake


@contextlib.asynccontextmanager
async def watching(folder, fake, **options):
    goldens = load_reference(write_pictures(folder, "m"), "m")
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        yield Checkup(endpoint, {"m": goldens}, **options)
        await endpoint.close()


def rows(fake, model="m"):
    return [some for name, some in fake.pictures if name == model and some != [PROBE_PICTURE]]


async def test_what_to_judge_a_model_by_is_of_its_kind(tmp_path):
    write_goldens(tmp_path, "texts")
    write_pictures(tmp_path, "m")

    assert load_reference(tmp_path, "m").names[0] == "a.png"
    assert load_reference(tmp_path, "texts").texts[0] == b"one"
    with pytest.raises(InferenceError, match="no golden answers"):
        load_reference(tmp_path, "absent")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param(
            {"make_pixels": lambda one: np.zeros((3, 2, 2), np.float32)},
            "preprocessing differs: the pixels of 5 of 5 pictures.*cosine 1.0000 with them",
            id="pixels",
        ),
        pytest.param(
            {"refused": {b"vier": "a webp that is cut short"}},
            r"^preprocessing differs: d\.webp is refused, it is a webp that is cut short$",
            id="refused",
        ),
        pytest.param(
            {"embed_picture": lambda one: -vector(one)},
            "^the encoder differs: lowest cosine -1",
            id="encoder",
        ),
        pytest.param(
            {"know": lambda one: 0.25}, "^the encoder differs: KNOWN is off by 0.5", id="known"
        ),
        pytest.param(
            {
                "make_pixels": lambda one: np.full((3, 2, 2), len(one), np.float32),
                "embed_picture": lambda one: -vector(one),
            },
            "^preprocessing differs: .*lowest cosine -1.0000 with them",
            id="all pixels, and vectors",
        ),
        pytest.param({"know": lambda one: 2.0}, "its goldens failed: m: KNOWN", id="no answer"),
        pytest.param(
            {"make_pixels": lambda one: np.zeros((1, 2, 2))},
            "its goldens failed: image_preprocess: PIXELS has shape",
            id="no pixels",
        ),
    ],
)
async def test_wrong_answers_are_told_apart(tmp_path, changes, reason):
    fake = ensemble()
    for name, change in changes.items():
        setattr(fake, name, change)
    async with watching(tmp_path, fake) as checkup:
        await checkup.visit()

    trust = checkup.trusts["m"]
    assert (trust.trusted, trust.fault) == (False, None)
    assert re.search(reason, trust.reason), trust.reason
    assert fake.control == [], "loading it again would not change it"


async def test_a_model_that_is_wrong_in_a_batch_only_is_refused(tmp_path):
    fake = ensemble(max_batch=4)

    def spoil(response):
        if response.outputs[0].name == "EMBEDDING" and response.outputs[0].shape[0] > 1:
            numbers = np.frombuffer(response.raw_output_contents[0], np.float32)
            response.raw_output_contents[0] = (-numbers).tobytes()

    fake.corrupt = spoil
    async with watching(tmp_path, fake) as checkup:
        await checkup.visit()

    assert "the encoder differs" in checkup.trusts["m"].reason


async def test_right_answers_are_trusted_alone_and_in_batches(tmp_path):
    fake = ensemble(max_batch=3)
    async with watching(tmp_path, fake) as checkup:
        await checkup.visit()

    trust = checkup.trusts["m"]
    assert (trust.trusted, trust.reason, trust.device, trust.version) == (True, "", "cpu", "1")
    assert trust.parity.count == 5
    assert sorted(map(len, rows(fake))) == [1, 1, 1, 1, 1, 2, 3]
    assert sorted(map(len, rows(fake, "image_preprocess"))) == [1] * 5


async def test_every_instance_of_every_step_is_asked_for_a_sign_of_life(tmp_path):
    fake = ensemble()
    async with watching(tmp_path, fake) as checkup:
        await checkup.visit()

    assert fake.pictures.count(("m", [PROBE_PICTURE])) == 2 * max(STEPS.values())


async def test_what_is_trusted_is_compared_in_parts(tmp_path):
    fake, clock = ensemble(), Clock()
    async with watching(tmp_path, fake, recheck_s=100.0, clock=clock) as checkup:
        await checkup.visit()
        checkup_begins = len(fake.pictures)
        for _ in range(PARTS):
            clock.now += 101
            await checkup.visit()
        asked = [one for name, some in fake.pictures[checkup_begins:] for one in some]

        assert sorted(one for one in asked if one != PROBE_PICTURE) == sorted(
            2 * [b"one", b"two", b"drei", b"vier", b"5"]
        ), "each picture once at each step"
        clock.now += 101
        fake.embed_picture = lambda one: -vector(one)
        await checkup.visit()

    assert not checkup.trusts["m"].trusted


async def test_a_dead_process_of_a_step_is_replaced(tmp_path):
    fake = ensemble()
    async with watching(tmp_path, fake) as checkup:
        await checkup.visit()
        fake.dead = 1
        await checkup.visit()

    assert fake.control == ["unload", "load"]
    assert checkup.trusts["m"].trusted


@pytest.mark.parametrize("asking", ["describe", "pixels", "see"])
async def test_what_is_lost_with_a_step_is_a_fault_of_the_model(asking):
    fake = ensemble()
    fake.failures = [LOST]
    fake.loaded = asking != "describe"
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        with pytest.raises(InferenceError):
            await {
                "describe": lambda: endpoint.describe("m"),
                "pixels": lambda: endpoint.pixels("m", b"one"),
                "see": lambda: endpoint.see("m", [b"one"], 0.5),
            }[asking]()
        await endpoint.close()

    expected = Fault.UNREACHABLE if fake.loaded else Fault.NOT_LOADED
    assert endpoint.faults == {"m": expected}


async def test_a_model_with_nothing_to_judge_it_by_is_left_alone():
    fake = FakeTriton()
    fake.loaded = False
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        checkup = Checkup(endpoint, {"m": "m: no golden answers"}, clock=(clock := Clock()))
        for _ in range(3):
            await asyncio.wait_for(checkup.visit(), LIMIT_S)
            clock.now += 100
        await endpoint.close()

    assert checkup.trusts["m"].reason == "m: no golden answers"
    assert (fake.control, fake.batches) == ([], [])


async def test_a_probe_is_a_small_question_of_the_kind(tmp_path):
    write_goldens(tmp_path, "texts")
    write_pictures(tmp_path, "m")
    fake = FakeTriton()
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        for model in ("texts", "m"):
            await probe(endpoint, model, load_reference(tmp_path, model))
        await endpoint.close()

    assert (fake.batches, fake.pictures) == ([[b"ready?"]], [("m", [PROBE_PICTURE])])
