import asyncio
import gc

import pytest

from orchestrator.errors import ImageRefused, InferenceUnavailable
from orchestrator.inference.sharing import Shared


class Work:
    """`gate` holds its end back."""

    def __init__(self, failure=None):
        self.failure = failure
        self.begun = self.cancelled = 0
        self.gate = asyncio.Event()
        self.tasks = []

    async def __call__(self):
        self.begun += 1
        self.tasks.append(asyncio.current_task())
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.failure is not None:
            raise self.failure
        return self.begun


async def turns():
    for _ in range(6):
        await asyncio.sleep(0)


async def asking(shared, work, *keys):
    tasks = [asyncio.create_task(shared.get(key, work)) for key in keys]
    await turns()
    return tasks


async def test_what_is_done_is_not_kept():
    shared, work = Shared(), Work()
    work.gate.set()

    assert [await shared.get("a", work), await shared.get("a", work)] == [1, 2]


async def test_other_keys_are_other_work():
    shared, work = Shared(), Work()
    tasks = await asking(shared, work, "a", "b")
    work.gate.set()
    await asyncio.gather(*tasks)

    assert work.begun == 2


async def test_who_asks_for_the_same_waits_for_the_same():
    shared, work = Shared(), Work()
    tasks = await asking(shared, work, *(bytes([7, last]) for last in (1, 1, 1)))
    work.gate.set()

    assert await asyncio.gather(*tasks) == [1, 1, 1]
    assert work.begun == 1


async def test_a_failure_is_raised_for_each_and_not_kept():
    shared, work = Shared(), Work(ImageRefused("empty"))
    tasks = await asking(shared, work, "a", "a")
    work.gate.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)

    assert [(type(error), str(error)) for error in errors] == [(ImageRefused, "empty")] * 2
    assert errors[0] is not errors[1]
    with pytest.raises(ImageRefused):
        await shared.get("a", work)
    assert work.begun == 2


async def test_a_fault_of_ours_is_raised_as_it_is():
    shared, work = Shared(), Work(ZeroDivisionError())
    work.gate.set()

    with pytest.raises(ZeroDivisionError):
        await shared.get("a", work)


async def test_who_gives_up_does_not_disturb_the_others():
    shared, work = Shared(), Work()
    hasty, patient = await asking(shared, work, "a", "a")
    hasty.cancel()
    await turns()
    work.gate.set()

    assert await patient == 1
    assert hasty.cancelled()
    assert work.cancelled == 0


async def test_what_nobody_waits_for_is_taken_back_and_nobody_joins_it():
    shared, work = Shared(), Work()
    tasks = await asking(shared, work, "a", "a")
    for task in tasks:
        task.cancel()
    await asyncio.sleep(0)  # they leave; the work has not heard of it yet
    (late,) = await asking(shared, work, "a")
    assert (work.begun, work.cancelled) == (2, 1)
    work.gate.set()

    assert await late == 2


async def test_work_that_ends_by_itself_ends_no_caller():
    shared, work = Shared(), Work()
    (caller,) = await asking(shared, work, "a")
    work.tasks[0].cancel()

    with pytest.raises(InferenceUnavailable, match="given up"):
        await caller


async def test_a_failure_that_nobody_waits_for_is_no_news_for_the_log(caplog):
    shared, work = Shared(), Work(ImageRefused("empty"))
    (caller,) = await asking(shared, work, "a")
    work.gate.set()
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    await turns()
    gc.collect()

    assert "never retrieved" not in caplog.text
