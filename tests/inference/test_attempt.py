import asyncio
from itertools import pairwise

import pytest

from orchestrator.errors import InferenceTimeout, InferenceUnavailable, ModelUntrusted
from orchestrator.inference.attempt import Attempt
from tests.clock import Clock


class Script:
    """Gives the outcomes in order (the last one for ever), and waits where `gate` is closed."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.calls = 0
        self.started = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self):
        self.calls += 1
        self.started.set()
        await self.gate.wait()
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


DOWN = InferenceUnavailable("no server")


async def test_a_failed_start_is_not_raised_and_the_reason_is_kept():
    make = Script(ModelUntrusted("answers differ"))
    attempt = Attempt("phrases", make, clock=Clock())

    await attempt.start()

    with pytest.raises(ModelUntrusted, match="answers differ"):
        await attempt.value()
    assert make.calls == 1


async def test_the_next_attempt_waits_for_the_pause_to_end():
    make, clock = Script(DOWN, "ready"), Clock()
    attempt = Attempt("phrases", make, clock=clock)
    await attempt.start()

    clock.now += 0.99
    with pytest.raises(InferenceUnavailable):
        await attempt.value()
    clock.now += 0.01

    assert await attempt.value() == "ready"
    assert make.calls == 2


async def test_pauses_double_up_to_a_limit():
    make, clock = Script(DOWN), Clock()
    attempt = Attempt("phrases", make, clock=clock)
    attempts = []

    while len(attempts) < 9:  # a request every half second
        before = make.calls
        with pytest.raises(InferenceUnavailable):
            await attempt.value()
        if make.calls > before:
            attempts.append(clock.now)
        clock.now += 0.5

    assert [b - a for a, b in pairwise(attempts)] == [1, 2, 4, 8, 16, 30, 30, 30]


async def test_start_does_not_wait_for_the_pause():
    make = Script(DOWN, "ready")
    attempt = Attempt("phrases", make, clock=Clock())

    await attempt.start()
    await attempt.start()

    assert await attempt.value() == "ready"


async def test_requests_share_one_attempt():
    make = Script("ready")
    make.gate.clear()
    attempt = Attempt("phrases", make)
    waiting = [asyncio.create_task(attempt.value()) for _ in range(50)]
    await make.started.wait()
    make.gate.set()

    assert await asyncio.gather(*waiting) == ["ready"] * 50
    assert make.calls == 1


async def test_a_request_that_gives_up_leaves_the_attempt_to_the_others():
    make = Script("ready")
    make.gate.clear()
    attempt = Attempt("phrases", make)
    hasty, patient = (asyncio.create_task(attempt.value()) for _ in range(2))
    await make.started.wait()

    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    make.gate.set()

    assert await patient == "ready"
    assert make.calls == 1


async def test_an_attempt_that_hangs_is_a_timeout():
    make = Script("ready")
    make.gate.clear()
    attempt = Attempt("phrases", make, limit=0.01, clock=Clock())

    with pytest.raises(InferenceTimeout, match=r"phrases: not ready after 0\.01 s"):
        await attempt.value()


async def test_a_made_value_is_kept_until_it_is_forgotten():
    make = Script("first", "second")
    attempt = Attempt("phrases", make)

    assert [await attempt.value(), await attempt.value()] == ["first", "first"]
    attempt.forget()

    assert await attempt.value() == "second"
    assert make.calls == 2
