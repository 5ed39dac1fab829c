"""Servers and processes that die, hang, go away or are replaced."""

import asyncio

import grpc
import pytest

from orchestrator.inference.checkup import ABSENT_S, DEATHS, HUNG_PROBES, Checkup
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.model_server import Fault
from tests.clock import Clock
from tests.inference.checkups import GOLDENS, watching
from tests.inference.fake_models import vector
from tests.inference.fake_triton import BUSY, DEAD, LATE, FakeTriton, serving

LIMIT_S = 20.0


class Restart:
    count = 0

    async def __call__(self):
        self.count += 1


def probes(fake):
    return fake.batches.count([b"ready?"])


async def test_every_process_is_probed_twice():
    fake = FakeTriton(instances=3)
    async with watching(fake) as checkup:
        await checkup.visit()

    assert probes(fake) == 6


@pytest.mark.parametrize(
    "failures",
    [
        pytest.param([BUSY], id="full queue"),
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


async def test_a_model_that_was_never_loaded_is_told_to_be_that():
    fake, clock = FakeTriton(), Clock()
    fake.loaded = False
    async with watching(fake, clock=clock) as checkup:
        await checkup.visit()
        trust = checkup.trusts["m"]
        assert (trust.trusted, trust.fault) == (False, Fault.NOT_LOADED)
        assert trust.reason == "the model is not loaded; it is waited for"
        assert fake.control == []

        fake.loaded = True
        await checkup.visit()
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
