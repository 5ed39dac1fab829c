from dataclasses import replace

import numpy as np
import pytest

from orchestrator.inference.checkup import PARTS
from orchestrator.inference.goldens import load_goldens
from tests.clock import Clock
from tests.inference.checkups import GOLDENS, TEXTS, watching
from tests.inference.fake_models import vector
from tests.inference.fake_triton import LATE, FakeTriton
from tests.inference.golden_files import write_classifier


@pytest.mark.parametrize(
    "embed",
    [
        pytest.param(lambda text: -vector(text), id="inverted"),
        pytest.param(lambda text: np.roll(vector(text), 1), id="rotated"),
        pytest.param(lambda text: vector(text) * 3, id="not normalised"),
        pytest.param(lambda text: vector(text)[:2], id="too short"),
        pytest.param(lambda text: vector(b"one"), id="always the same"),
        pytest.param(lambda text: -vector(text) if text == b"four" else vector(text), id="one"),
    ],
)
async def test_wrong_answers_are_named(embed):
    fake = FakeTriton()
    fake.embed = embed
    async with watching(fake) as checkup:
        await checkup.visit()

    trust = checkup.trusts["m"]
    assert not trust.trusted
    assert trust.fault is None
    assert "differ from the reference" in trust.reason
    assert trust.parity is not None
    assert trust.parity.min_cosine < trust.parity.tolerance
    assert fake.control == [], "loading it again would not change it"


async def test_a_model_that_is_right_alone_and_wrong_in_a_batch_is_refused():
    fake = FakeTriton(max_batch=8)

    def spoil(response):
        if len(response.raw_output_contents[0]) > 16:
            rows = np.frombuffer(response.raw_output_contents[0], np.float32)
            response.raw_output_contents[0] = (-rows).tobytes()

    fake.corrupt = spoil
    async with watching(fake) as checkup:
        await checkup.visit()

    assert not checkup.trusts["m"].trusted


@pytest.mark.parametrize(
    "size", [pytest.param(1, id="wrong alone"), pytest.param(4, id="wrong in a batch")]
)
async def test_a_classifier_has_to_be_right_alone_and_in_a_batch(tmp_path, size):
    fake = FakeTriton(max_batch=8)

    def spoil(response):
        for output, at in zip(response.outputs, range(9), strict=False):
            if output.name == "PROBS_guard" and output.shape[0] == size:
                flipped = np.frombuffer(response.raw_output_contents[at], np.float32)
                response.raw_output_contents[at] = flipped[::-1].tobytes()

    fake.corrupt = spoil
    goldens = load_goldens(write_classifier(tmp_path, "m"), "m")
    async with watching(fake, goldens=goldens) as checkup:
        await checkup.visit()

    assert "task guard: probability off by" in checkup.trusts["m"].reason


async def test_right_answers_are_trusted():
    fake, seen = FakeTriton(), []
    async with watching(fake, on_finding=seen.append) as checkup:
        assert not checkup.trusts["m"].trusted, "not before they are compared"
        await checkup.visit()

    trust = checkup.trusts["m"]
    assert (trust.trusted, trust.reason, trust.version, trust.device) == (True, "", "1", "cpu")
    assert trust.parity is not None
    assert trust.parity.count == 5
    assert trust.checked_at > 0
    assert seen[-1] == trust
    assert [list(TEXTS[:3]), list(TEXTS[3:])] == [b for b in fake.batches if len(b) > 1]
    assert [[text] for text in TEXTS] == fake.batches[-5:], "and each alone"


async def test_a_model_that_cuts_what_the_reference_reads_whole_is_refused():
    goldens = replace(GOLDENS, windows=(1, 2, 1, 1, 1))
    async with watching(FakeTriton(), goldens=goldens) as checkup:
        await checkup.visit()

    assert "windows" in checkup.trusts["m"].reason


async def test_a_model_without_goldens_is_not_trusted():
    async with watching(FakeTriton(), goldens="m: no golden answers at x") as checkup:
        await checkup.visit()

    assert checkup.trusts["m"].reason == "m: no golden answers at x"
    assert not checkup.trusts["m"].trusted


async def test_goldens_are_compared_again_when_due_and_not_before():
    fake, clock = FakeTriton(), Clock()
    async with watching(fake, clock=clock, recheck_s=600.0) as checkup:
        await checkup.visit()
        fake.embed = lambda text: -vector(text)
        clock.now += 599
        await checkup.visit()
        assert checkup.trusts["m"].trusted
        clock.now += 1
        await checkup.visit()
        assert not checkup.trusts["m"].trusted


async def test_a_trusted_model_is_compared_part_by_part_and_whole_when_hurried():
    fake, clock = FakeTriton(), Clock()
    async with watching(fake, clock=clock, recheck_s=600.0) as checkup:
        await checkup.visit()
        compared = []
        for _ in range(PARTS):
            before, clock.now = len(fake.batches), clock.now + 600
            await checkup.visit()
            compared.append([text for [text] in fake.batches[before:] if text != b"ready?"])
        before = len(fake.batches)
        checkup.hurry()
        await checkup.visit()
        whole = [text for [text] in fake.batches[before:] if text != b"ready?"]

    assert sorted(sum(compared, [])) == sorted(TEXTS)
    assert max(len(part) for part in compared) == 2
    assert whole == list(TEXTS)


async def test_a_server_too_busy_for_goldens_keeps_the_trust_it_has_and_gains_none():
    fake, clock = FakeTriton(instances=1), Clock()
    probes_pass_goldens_do_not = [None, None, LATE]
    async with watching(fake, clock=clock, recheck_s=600.0) as checkup:
        fake.failures = list(probes_pass_goldens_do_not)
        await checkup.visit()
        assert "goldens failed" in checkup.trusts["m"].reason
        await checkup.visit()
        assert checkup.trusts["m"].trusted

        clock.now += 600
        fake.failures = list(probes_pass_goldens_do_not)
        await checkup.visit()
        assert fake.failures == []
        assert checkup.trusts["m"].trusted
