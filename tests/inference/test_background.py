import asyncio

import pytest

from orchestrator.inference.background import Background

LIMIT_S = 20.0


class Work:
    """Raises for the first `failures` times, then ends."""

    def __init__(self, failures=0):
        self.failures = failures
        self.begun = 0

    async def __call__(self):
        self.begun += 1
        if self.begun <= self.failures:
            raise ValueError("the prompt")


@pytest.mark.parametrize("failures", [0, 1, 3])
async def test_work_is_begun_again_until_it_ends(failures, caplog):
    work, crashes, background = Work(failures), Work(), Background()
    await asyncio.wait_for(background.start("the watch", work, crashes, pause_s=0.001), LIMIT_S)

    assert (work.begun, crashes.begun) == (failures + 1, failures)
    assert [record.levelname for record in caplog.records] == ["ERROR"] * failures
    assert all("the watch: ValueError at " in record.getMessage() for record in caplog.records)
    assert "the prompt" not in caplog.text


async def test_what_follows_a_crash_may_crash_too(caplog):
    work, crashes, background = Work(1), Work(1), Background()
    await asyncio.wait_for(background.start("it", work, crashes, pause_s=0.001), LIMIT_S)

    assert work.begun == 2
    assert "it, after a crash: ValueError" in caplog.text


async def test_stopping_ends_it_and_waits():
    begun, ended = asyncio.Event(), []

    async def work():
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    background = Background()
    task = background.start("it", work)
    await begun.wait()
    await background.stop()

    assert (ended, task.cancelled()) == ([True], True)
    await background.stop()


async def test_stopping_does_not_swallow_its_callers_cancellation():
    begun, hold = asyncio.Event(), asyncio.Event()

    async def stubborn():
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await hold.wait()

    background = Background()
    background.start("it", stubborn)
    await begun.wait()
    stopping = asyncio.create_task(background.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    hold.set()
    with pytest.raises(asyncio.CancelledError):
        await stopping
