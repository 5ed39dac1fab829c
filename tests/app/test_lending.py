from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from orchestrator.app.lending import Lending


def lending(log, **options):
    @asynccontextmanager
    async def make(wanted):
        if wanted == "broken":
            raise OSError
        log.append(f"start {wanted}")
        yield f"a {wanted}"
        log.append(f"end {wanted}")

    return Lending(make, **options)


async def test_two_users_share_one_that_ends_after_both():
    log, one, two = [], AsyncExitStack(), AsyncExitStack()
    things = lending(log)
    assert await one.enter_async_context(things.lend("thing")) == "a thing"
    assert await two.enter_async_context(things.lend("thing")) == "a thing"
    await one.aclose()
    assert log == ["start thing"]
    await two.aclose()
    assert log == ["start thing", "end thing"]


async def test_what_differs_is_started_anew_and_so_is_what_has_ended():
    log = []
    things = lending(log)
    async with things.lend("a"), things.lend("b"):
        pass
    async with things.lend("a"):
        pass

    assert log == ["start a", "start b", "end b", "end a", "start a", "end a"]


async def test_more_than_is_wanted_serves_and_less_does_not():
    log = []
    things = lending(log, serves=lambda wanted, made_for: wanted <= made_for)
    async with things.lend(2), things.lend(1), things.lend(3):
        pass

    assert [line for line in log if line.startswith("start")] == ["start 2", "start 3"]


async def test_what_cannot_be_started_is_nobodys():
    log = []
    things = lending(log)
    for _ in range(2):
        with pytest.raises(OSError):
            async with things.lend("broken"):
                pytest.fail("there is none")
    async with things.lend("thing"):
        pass

    assert log == ["start thing", "end thing"]
