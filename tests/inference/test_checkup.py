import asyncio
import contextlib
from dataclasses import replace

import grpc
import numpy as np
import pytest

from orchestrator.inference.checkup import ABSENT_S, DEATHS, HUNG_PROBES, PARTS, Checkup
from orchestrator.inference.endpoint import Endpoint, Fault
from orchestrator.inference.goldens import Goldens, load_goldens
from tests.inference.fake_triton import DEAD, FakeTriton, serving, vector, write_classifier

TEXTS = (b"one", b"two", b"", b"four", b"five")
GOLDENS = Goldens(TEXTS, np.stack([vector(text) for text in TEXTS]), (1,) * 5, (False,) * 5, 0.999)
LIMIT_S = 20.0
FULL = (grpc.StatusCode.UNAVAILABLE, "Exceeds maximum queue size")
LATE = (grpc.StatusCode.DEADLINE_EXCEEDED, "")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Restart:
    count = 0

    async def __call__(self):
        self.count += 1


@contextlib.asynccontextmanager
async def watching(fake, goldens=GOLDENS, **options):
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        yield Checkup(endpoint, {"m": goldens}, **options)
        await endpoint.close()


def probes(fake):
    return fake.batches.count([b"ready?"])


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


async def test_every_process_is_probed_twice():
    fake = FakeTriton(instances=3)
    async with watching(fake) as checkup:
        await checkup.visit()

    assert probes(fake) == 6


@pytest.mark.parametrize(
    "failures",
    [
        pytest.param([FULL], id="full queue"),
        pytest.param([LATE] * (HUNG_PROBES - 1), id="late"),
        pytest.param([DEAD], id="no processor for a second"),
        pytest.param([(grpc.StatusCode.INTERNAL, "odd")], id="an error of its own"),
    ],
)
async def test_a_passing_failure_neither_reloads_nor_costs_trust(failures):
    fake = FakeTriton()
    async with watching(fake) as checkup:
        await checkup.visit()
        for failure in failures:
            fake.failures = [failure]
            await checkup.visit()
        await checkup.visit()

    assert checkup.trusts["m"].trusted
    assert fake.control == []


async def test_a_dead_process_is_healed_and_the_model_compared_again():
    fake, clock = FakeTriton(), Clock()
    async with watching(fake, clock=clock) as checkup:
        await checkup.visit()
        fake.dead, before = 1, len(fake.batches)
        await checkup.visit()

    assert fake.control == ["unload", "load"]
    assert checkup.trusts["m"].trusted
    assert fake.batches[before:].count([b"four"]) == 1


async def test_a_model_that_comes_back_wrong_is_refused():
    fake = FakeTriton()
    async with watching(fake) as checkup:
        await checkup.visit()
        fake.dead, fake.embed = 1, lambda text: -vector(text)
        await checkup.visit()

    assert "differ" in checkup.trusts["m"].reason


async def test_a_process_that_hangs_is_healed():
    fake = FakeTriton()
    async with watching(fake) as checkup:
        await checkup.visit()
        for _ in range(HUNG_PROBES):
            fake.failures = [LATE]
            await checkup.visit()

    assert fake.control == ["unload", "load"]
    assert checkup.trusts["m"].trusted


async def test_an_absent_model_is_loaded_when_nobody_else_does():
    fake, clock = FakeTriton(), Clock()
    async with watching(fake, clock=clock) as checkup:
        await checkup.visit()
        fake.loaded = False
        await checkup.visit()
        clock.now += ABSENT_S - 1
        await checkup.visit()
        assert fake.control == []
        clock.now += 1
        await checkup.visit()
        assert fake.control == ["load"]
        assert checkup.trusts["m"].trusted


async def test_what_reloading_does_not_heal_is_restarted_with_growing_pauses():
    fake, clock, restart = FakeTriton(), Clock(), Restart()
    fake.dead, fake.refuses_control = 2, True
    async with watching(fake, clock=clock, restart=restart) as checkup:
        await checkup.visit()
        trust = checkup.trusts["m"]
        assert not trust.trusted
        assert trust.fault is not None
        assert "reloading failed" in trust.reason
        await checkup.visit()
        assert (fake.control, restart.count) == (["unload"], 0), "not at once again"
        clock.now += 60
        await checkup.visit()
        assert restart.count == 1
        for _ in range(60):
            clock.now += 1
            await checkup.visit()

    assert len(fake.control) < 10


async def test_a_server_that_goes_away_is_doubted_until_compared_again():
    fake = FakeTriton()
    async with serving(fake) as url:
        checkup = Checkup(Endpoint(url), {"m": GOLDENS})
        await checkup.visit()
        assert checkup.ready
        assert checkup.trusts["m"].trusted
    await checkup.visit()
    assert not checkup.ready
    assert not checkup.trusts["m"].trusted
    assert checkup.trusts["m"].fault is not None

    other = FakeTriton()
    other.embed = lambda text: -vector(text)
    async with serving(other, int(url.rpartition(":")[2])):
        async with asyncio.timeout(LIMIT_S):
            while not checkup.ready:  # gRPC reconnects in its own time
                await checkup.visit()
    await checkup.endpoint.close()

    assert "differ" in checkup.trusts["m"].reason


async def test_a_server_that_was_replaced_between_two_looks_is_compared_again():
    fake = FakeTriton()
    async with serving(fake) as url:
        checkup = Checkup(Endpoint(url), {"m": GOLDENS})
        await checkup.visit()
    other = FakeTriton()
    other.embed = lambda text: -vector(text)
    async with serving(other, int(url.rpartition(":")[2])):
        async with asyncio.timeout(LIMIT_S):
            while "differ" not in checkup.trusts["m"].reason:
                await checkup.visit()
    await checkup.endpoint.close()

    assert not checkup.trusts["m"].trusted


async def test_trouble_ends_the_wait_for_the_next_look():
    fake = FakeTriton()
    trusted, healed = asyncio.Event(), asyncio.Event()

    def found(trust):
        if trust.trusted:
            (healed if fake.control else trusted).set()

    async with watching(fake, interval_s=3600.0, on_finding=found) as checkup:
        task = asyncio.create_task(checkup.run())
        await asyncio.wait_for(trusted.wait(), 10)
        fake.dead = 2
        checkup.endpoint.trouble.set()
        await asyncio.wait_for(healed.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    ("seconds", "control"),
    [
        pytest.param(20.0, [], id="now and then: a process without a processor"),
        pytest.param(1.0, ["unload", "load"], id="again and again"),
    ],
)
async def test_a_dead_process_that_only_requests_meet_is_healed(seconds, control):
    fake, clock = FakeTriton(), Clock()
    async with watching(fake, clock=clock) as checkup:
        await checkup.visit()
        for _ in range(DEATHS):
            checkup.endpoint.faults["m"] = Fault.DEAD_INSTANCE
            await checkup.visit()
            clock.now += seconds

    assert fake.control == control
    assert checkup.trusts["m"].trusted
