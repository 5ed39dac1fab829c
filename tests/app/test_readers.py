import asyncio
from contextlib import ExitStack

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.app.readers import Readers


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_nobody_inside_is_waited_for_by_nobody():
    turned = Readers().turn()
    await settled()

    assert turned.done()


async def test_who_came_before_is_waited_for_and_who_comes_later_is_not():
    readers, before, later = Readers(), ExitStack(), ExitStack()
    before.enter_context(readers.inside())
    turned = readers.turn()
    later.enter_context(readers.inside())
    await settled()
    assert not turned.done()

    before.close()
    await settled()
    assert turned.done()


async def test_a_later_turn_waits_for_all_before_it():
    readers, first, second = Readers(), ExitStack(), ExitStack()
    first.enter_context(readers.inside())
    one = readers.turn()
    second.enter_context(readers.inside())
    two = readers.turn()
    second.close()
    await settled()
    assert (one.done(), two.done()) == (False, False)  # the first may have got hold of anything

    first.close()
    await settled()
    assert (one.done(), two.done()) == (True, True)


@given(st.lists(st.sampled_from(["enter", "leave", "turn"]), max_size=40))
def test_a_turn_ends_exactly_when_all_who_were_inside_have_left(steps):
    async def play():
        readers, inside, turns = Readers(), [], []
        for number, step in enumerate(steps):
            if step == "enter":
                stack = ExitStack()
                stack.enter_context(readers.inside())
                inside.append((number, stack))
            elif step == "leave" and inside:
                inside.pop(number % len(inside))[1].close()
            elif step == "turn":
                turns.append((number, readers.turn()))
            await settled()
            for begun, turned in turns:
                assert turned.done() == all(entered > begun for entered, _ in inside)
        for _, stack in inside:
            stack.close()
        await asyncio.gather(*(turned for _, turned in turns))

    asyncio.run(play())
