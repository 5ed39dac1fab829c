"""Pictures that several ask about."""

import asyncio

import numpy as np

from orchestrator.errors import ImageRefused
from orchestrator.inference.gathering import Gathering
from tests.inference.fake_models import vector
from tests.inference.sources import Source, turns


async def test_a_picture_that_several_ask_about_at_the_same_time_travels_once():
    source = Source()
    gathering = Gathering(source)
    picture = b"picture"

    one, two, text = await asyncio.gather(
        gathering.see("m", [picture]),
        gathering.see("m", [b"other", bytes(bytearray(picture)), picture]),
        gathering.embed("m", ["hi"]),
    )
    await gathering.see("m", [picture])

    looked = [(model, asked) for model, asked, _ in source.looks]
    assert looked == [("m", picture), ("m", b"other"), ("m", picture)]
    np.testing.assert_array_equal(one.embeddings, [vector(picture)])
    np.testing.assert_array_equal(
        two.embeddings, [vector(b"other"), vector(picture), vector(picture)]
    )
    assert (two.known.tolist(), two.floor, len(text)) == ([0.75] * 3, 0.25, 1)


async def test_patience_with_a_picture_travels_apart():
    source = Source()
    gathering = Gathering(source)

    await asyncio.gather(
        gathering.see("m", [b"a"]),
        gathering.unhurried(60.0).see("m", [b"a"]),
        gathering.unhurried(60.0).see("m", [b"a"]),
    )

    assert source.looks == [("m", b"a", 0.0), ("m", b"a", 60.0)]


async def test_a_picture_that_is_refused_fails_those_that_ask_about_it():
    source = Source(ImageRefused("empty"))
    gathering = Gathering(source)

    errors = await asyncio.gather(
        gathering.see("m", [b"a"]), gathering.see("m", [b"a"]), return_exceptions=True
    )

    assert [(type(error), str(error)) for error in errors] == [(ImageRefused, "empty")] * 2
    assert len(source.looks) == 1


async def test_who_gives_a_picture_up_does_not_disturb_the_others():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    hasty, patient = (asyncio.create_task(gathering.see("m", [b"a"])) for _ in range(2))
    await source.entered.wait()
    hasty.cancel()
    await turns()
    source.gate.set()

    assert (await patient).known.tolist() == [0.75]
    assert len(source.looks) == 1
