"""Who asks for what is on its way, gives up, or fails."""

import asyncio
import gc

import pytest

from orchestrator.errors import InferenceError, InferenceTimeout, InferenceUnavailable
from orchestrator.inference.gathering import Gathering
from tests.inference.sources import Source, texts_of, turns


@pytest.mark.parametrize(
    ("flying", "asked", "joins"),
    [
        pytest.param({"domain"}, {"guard"}, False, id="another task"),
        pytest.param({"domain"}, {"domain", "guard"}, False, id="one task more"),
        pytest.param({"domain"}, None, False, id="the embedding, which is not on its way"),
        pytest.param({"domain", "guard"}, {"guard"}, True, id="one of its tasks"),
        pytest.param({"domain"}, {"domain"}, True, id="the same"),
    ],
)
async def test_who_asks_what_is_on_its_way_waits_for_that(flying, asked, joins):
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    first = asyncio.create_task(gathering.classify("m", ["hi"], flying))
    await source.entered.wait()
    later = (
        gathering.embed("m", ["hi"]) if asked is None else gathering.classify("m", ["hi"], asked)
    )
    second = asyncio.create_task(later)
    await turns()
    source.gate.set()
    (one,), (two,) = await asyncio.gather(first, second)

    assert len(source.requests) == (1 if joins else 2)
    assert set(one.probabilities) == flying
    assert asked is None or set(two.probabilities) == asked


@pytest.mark.parametrize("when", ["before it leaves", "on its way"])
async def test_a_caller_that_gives_up_does_not_disturb_the_others(when):
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    hasty = asyncio.create_task(gathering.classify("m", ["hi", "a"], ["domain"]))
    patient = asyncio.create_task(gathering.classify("m", ["hi"], ["guard"]))
    await (turns(1) if when == "before it leaves" else source.entered.wait())
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    await turns()
    source.gate.set()

    [said] = await patient
    assert set(said.probabilities) == {"guard"}
    assert source.cancelled == []


async def test_a_request_that_nobody_waits_for_is_cancelled():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    callers = [
        asyncio.create_task(gathering.classify("m", texts, ["domain"]))
        for texts in (["hi"], ["hi", "a"])
    ]
    await source.entered.wait()
    callers[0].cancel()
    await turns()
    assert source.cancelled == []
    callers[1].cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await turns()

    assert source.cancelled == [["hi", "a"]]


async def test_nobody_joins_a_request_that_is_being_cancelled():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)

    async def persistent():
        try:
            return await gathering.classify("m", ["hi"], ["domain"])
        except asyncio.CancelledError:
            return await gathering.classify("m", ["hi"], ["domain"])

    caller = asyncio.create_task(persistent())
    await source.entered.wait()
    caller.cancel()
    source.gate.set()
    [said] = await caller

    assert set(said.probabilities) == {"domain"}
    assert texts_of(source) == [["hi"], ["hi"]]


async def test_callers_that_give_up_at_once_cost_no_request():
    source = Source()
    gathering = Gathering(source)
    caller = asyncio.create_task(gathering.embed("m", ["hi"]))
    asyncio.get_running_loop().call_soon(caller.cancel)  # runs before the departure
    with pytest.raises(asyncio.CancelledError):
        await caller
    await turns()

    assert source.requests == []


async def test_a_failure_reaches_every_caller_and_is_not_kept(caplog):
    source = Source(failure=InferenceTimeout("m: no answer in time"))
    gathering = Gathering(source)

    failures = await asyncio.gather(
        gathering.embed("m", ["a"]),
        gathering.classify("m", ["a", "b"], ["domain"]),
        gathering.classify("m", ["a"], ["guard"]),
        return_exceptions=True,
    )
    assert [(type(one), str(one)) for one in failures] == [
        (InferenceTimeout, "m: no answer in time")
    ] * 3
    assert len({id(one) for one in failures}) == 3

    source.failure = None
    assert (await gathering.embed("m", ["a"])).shape == (1, 4)
    del failures
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_request_that_its_source_gives_up_is_a_failure_and_cancels_nobody():
    source = Source(failure=asyncio.CancelledError())
    gathering = Gathering(source)

    failures = await asyncio.gather(
        gathering.embed("m", ["a"]),
        gathering.classify("m", ["a", "b"], ["domain"]),
        return_exceptions=True,
    )

    assert [type(one) for one in failures] == [InferenceUnavailable] * 2


async def test_one_failed_request_fails_a_call_that_has_several_and_ends_them():
    source, failed = Source(), asyncio.Event()

    async def ask(model, rows):
        if rows[0].text.startswith(b"bad"):
            failed.set()
            raise InferenceError("broken")
        return await Source.ask(source, model, rows)

    source.ask = ask
    source.gate.clear()
    gathering = Gathering(source)
    with pytest.raises(InferenceError, match="broken"):
        await gathering.embed("m", ["slow" + "x" * 5000, "bad" + "x" * 5000])
    await turns()

    assert failed.is_set()
    assert len(source.cancelled) == 1
