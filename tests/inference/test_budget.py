import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.inference.budget import Budget


class Visitors:
    """What is held of a budget; each visitor leaves when its gate is set."""

    def __init__(self, budget):
        self.budget = budget
        self.inside = []
        self.order = []
        self.gates = []
        self.tasks = []

    def send(self, *sizes):
        for size in sizes:
            gate, name = asyncio.Event(), len(self.tasks)
            self.gates.append(gate)
            self.tasks.append(asyncio.create_task(self._visit(name, size, gate)))

    async def _visit(self, name, size, gate):
        async with self.budget.held(size):
            self.inside.append(name)
            self.order.append(name)
            try:
                await gate.wait()
            finally:
                self.inside.remove(name)

    async def turns(self):
        for _ in range(6):
            await asyncio.sleep(0)

    async def close(self):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def visiting(*limits):
    visitors = Visitors(Budget(*limits))
    yield visitors
    await visitors.close()


@pytest.mark.parametrize(
    ("sizes", "inside"),
    [
        pytest.param([1, 1, 1, 1], [0, 1, 2], id="no more than may be"),
        pytest.param([6, 5, 1], [0], id="bytes; the small one does not overtake"),
        pytest.param([6, 4, 1], [0, 1], id="as many bytes as may be"),
        pytest.param([11, 1], [0], id="too large: alone"),
        pytest.param([1, 11], [0], id="too large, and waits for that"),
    ],
)
async def test_limits(sizes, inside):
    async with visiting(3, 10) as visitors:
        visitors.send(*sizes)
        await visitors.turns()
        assert visitors.inside == inside


async def test_who_waits_comes_in_when_there_is_room():
    async with visiting(2, 10) as visitors:
        visitors.send(6, 6, 11, 1)
        for leaving, inside in ((0, [1]), (1, [2]), (2, [3])):
            visitors.gates[leaving].set()
            await visitors.turns()
            assert visitors.inside == inside


@pytest.mark.parametrize("gone", [0, 1], ids=["inside", "in the queue"])
async def test_who_gives_up_makes_room(gone):
    async with visiting(2, 10) as visitors:
        visitors.send(9, 9, 1)
        await visitors.turns()
        assert visitors.inside == [0]
        visitors.tasks[gone].cancel()
        await visitors.turns()

        assert visitors.order == ([0, 1, 2] if gone == 0 else [0, 2])


async def test_who_gives_up_as_it_is_let_in_holds_nothing():
    async with visiting(1, 10) as visitors:
        visitors.send(1, 1, 1)
        await visitors.turns()
        visitors.tasks[0].cancel()
        await asyncio.sleep(0)  # the second is let in, and has not run since
        visitors.tasks[1].cancel()
        await visitors.turns()

        assert visitors.inside == [2]


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=12))
def test_never_more_than_may_be_and_everybody_comes_in(visits):
    asyncio.run(_come_and_go(visits))


async def _come_and_go(visits):
    async with visiting(3, 10) as visitors:
        visitors.send(*(size for size, _ in visits))
        for name, (_, hasty) in enumerate(visits):
            if hasty:
                visitors.tasks[name].cancel()
            await visitors.turns()
            held = [visits[one][0] for one in visitors.inside]
            assert len(held) <= 3
            assert sum(held) <= 10 or len(held) == 1
        for gate in visitors.gates:
            gate.set()
        await asyncio.gather(*visitors.tasks, return_exceptions=True)
        assert set(visitors.order) >= {n for n, (_, hasty) in enumerate(visits) if not hasty}
        assert visitors.order == sorted(visitors.order)
        async with asyncio.timeout(20), visitors.budget.held(10), visitors.budget.held(0):
            pass  # all that was held is given back
