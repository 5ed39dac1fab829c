import asyncio
import math
import time

import pytest

from perf.arms import Load
from perf.arms.loop import Wrong, ask_all
from perf.requests import Item

ITEMS = [Item("first"), Item("second"), Item("third")]
SHORT_S = 1e-6  # over before the first answers


class Arm:
    """Answers in the next turns of the loop; notes what was under way."""

    def __init__(self, wrong=lambda number: False, first=lambda: None):
        self.asked, self.under_way, self.most = [], 0, 0
        self.wrong, self.first = wrong, first

    async def __call__(self, item):
        self.asked.append(item)
        number = len(self.asked)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if self.wrong(number):
            raise Wrong(f"the {number}th")
        return self.first()


async def seen(arm, load, seconds=SHORT_S, cpu=lambda: 0.0, **options):
    return await ask_all(arm, ITEMS, load, seconds, cpu, **options)


@pytest.mark.parametrize("places", [pytest.param(one, id=f"{one} at once") for one in (1, 3, 64)])
async def test_a_closed_loop_keeps_so_many_under_way(places):
    arm = Arm()
    found, taken = await seen(arm, Load(at_once=places))
    assert arm.most == places
    assert len(arm.asked) == len(taken) == 2 * places  # two turns a place, however short
    assert found.failures == 0


async def test_a_closed_loop_asks_until_its_time_is_over():
    arm = Arm()
    await seen(arm, Load(at_once=2), seconds=0.02)
    assert len(arm.asked) > 4
    assert set(arm.asked) == set(ITEMS)


async def test_an_open_loop_asks_at_its_own_rate():
    """So many in all, whoever is slow."""
    arm = Arm()
    found, taken = await seen(arm, Load(rate=1e5), seconds=1e-3)
    assert len(arm.asked) == len(taken) == 100
    assert found.failures == 0


async def test_an_open_loop_does_not_wait_for_answers():
    released = asyncio.Event()
    waiting = []

    async def ask(item):
        waiting.append(item)
        if len(waiting) == 10:
            released.set()
        await released.wait()

    _, taken = await seen(ask, Load(rate=1e5), seconds=1e-4)
    assert len(taken) == 10


async def test_latency_of_an_open_loop_counts_from_when_a_request_was_due():
    """The second is due long before the loop comes to ask it."""
    due = []

    async def ask(item):
        due.append(time.perf_counter())
        if len(due) == 1:
            time.sleep(0.02)  # the loop itself is late

    _, taken = await seen(ask, Load(rate=1e5), seconds=3e-5)
    assert len(taken) == 3
    assert max(taken) >= 0.02
    assert sum(latency >= 0.02 for latency in taken) >= 2  # that which blocked, and one behind it


async def test_the_first_byte_counts_from_there_too():
    def first():
        return time.perf_counter()

    found, taken = await seen(Arm(first=first), Load(rate=1e5), seconds=1e-4)
    assert 0 < found.first_ms <= 1e3 * max(taken)
    assert (await seen(Arm(), Load(at_once=1)))[0].first_ms is None


async def test_a_failure_is_counted_and_has_no_latency():
    arm = Arm(wrong=lambda number: number % 2 == 0)
    used = iter([1.0, 3.0])
    found, taken = await seen(arm, Load(at_once=4), cpu=lambda: next(used))
    assert (found.failures, len(taken)) == (4, 4)
    assert found.why.endswith("th")
    assert found.cpu_ms == 2000 / 8  # what failed has cost too


async def test_where_all_fail_there_are_no_percentiles():
    found, taken = await seen(Arm(wrong=lambda number: True), Load(at_once=1))
    assert (found.failures, found.rate, taken) == (2, 0.0, [])
    assert math.isnan(found.p50_ms)


@pytest.mark.parametrize(
    "load",
    [pytest.param(Load(at_once=3), id="closed"), pytest.param(Load(rate=1e5), id="open")],
)
async def test_what_is_never_answered_has_failed(load):
    async def ask(item):
        await asyncio.Event().wait()

    found, taken = await seen(ask, load, seconds=3e-5, patience=0.2)
    assert (found.failures, taken) == (3, [])
    assert "no answer" in found.why


async def test_an_error_of_the_arm_itself_is_not_a_failure_of_a_request():
    async def ask(item):
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        await seen(ask, Load(at_once=1))
