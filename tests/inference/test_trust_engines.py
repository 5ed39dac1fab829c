"""A server that does not load a model because it cannot run its engine is told apart."""

import json

import pytest

from orchestrator.inference.trust import TrustedInference
from tests.inference.fake_triton import FakeTriton
from tests.inference.test_plans import RECORD
from tests.inference.trusting import trusting

WHY = (
    "reloading failed: m_encoder: it was built in Triton 2.64.0, here is 2.51.0; "
    f"run there: {RECORD['command']}"
)


def engine(folder, record=RECORD):
    (folder / "m_encoder").mkdir()
    (folder / "m_encoder" / "engine.json").write_text(json.dumps(record))


def absent(**changed):
    """A server that has the model no more, and does not load it."""
    fake = FakeTriton()
    fake.loaded, fake.refuses_control = False, True
    for name, value in changed.items():
        setattr(fake, name, value)
    return fake


async def reason(folder, fake, **options):
    async with trusting(folder, fake, **options) as trusted:
        trusted: TrustedInference
        (checkup,) = trusted._checkups
        checkup._clock = lambda: 0.0
        await trusted.check()
        checkup._clock = lambda: 60.0
        await trusted.check()
        (trust,) = trusted.trusts()
        return trust.reason


async def test_an_engine_of_another_server_is_named_with_the_command(repository):
    engine(repository)

    assert (await reason(repository, absent())).endswith(WHY)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"version": "2.64.0"}, id="the engine is of this server"),
        pytest.param({}, id="the record is broken"),
    ],
)
async def test_else_the_server_has_the_word(repository, changed):
    engine(repository, RECORD if changed else {})

    said = await reason(repository, absent(**changed))

    assert "reloading failed: " in said
    assert "run there" not in said


async def test_an_embedded_server_runs_no_engine(repository):
    async def restart():
        pass

    engine(repository)

    assert "run there" not in await reason(repository, absent(), restart=restart)
