"""TritonInference and healing against the real tritonserver."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.stubs import stubs
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import ServerState, TrustedInference
from tests.processes import free_ports
from tests.triton import toy

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]
LIMIT_S = 60.0
HEALED_S = 15.0


@contextlib.asynccontextmanager
async def running(repository, state_dir, **options):
    server = EmbeddedTriton(repository, state_dir=state_dir, exit_timeout_s=1, **options)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@contextlib.asynccontextmanager
async def asking(urls, repository, **options):
    inference = TritonInference(urls)
    trusted = TrustedInference(inference, repository, ["toy"], interval_s=1.0, **options)
    trusted.start()
    try:
        await trusted.looked()
        yield trusted
    finally:
        await trusted.stop()
        await inference.close()


@pytest.fixture
def repository(tmp_path):
    return toy.write(tmp_path / "models")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The repository of `server`."""
    return toy.write(tmp_path_factory.mktemp("toy") / "models")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(models, tmp_path_factory):
    """For those who leave its processes alone."""
    async with running(models, tmp_path_factory.mktemp("state")) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def inference(server):
    inference = TritonInference([server.url])
    yield inference
    await inference.close()


async def right(inference, text="one"):
    """Whether it answers; only failures that a signal expects may come instead."""
    try:
        vectors = await inference.embed("toy", [text])
    except InferenceError:
        return False
    np.testing.assert_array_equal(vectors, [toy.vector(text.encode())])
    return True


async def answers_in_a_row(inference, wanted, limit_s=LIMIT_S):
    """Ask until `wanted` answers came one after the other."""
    row = 0
    async with asyncio.timeout(limit_s):
        while row < wanted:
            row = row + 1 if await right(inference) else 0
            await asyncio.sleep(0.01)


async def appeared(path):
    async with asyncio.timeout(LIMIT_S):
        while not path.exists():
            await asyncio.sleep(0.02)


async def test_texts_split_and_merge_and_every_row_is_its_own(inference):
    texts = [f"text {number} \N{SNOWMAN}" for number in range(21)]
    many, *single = await asyncio.gather(
        inference.embed("toy", texts), *(inference.embed("toy", [text]) for text in texts)
    )

    expected = [toy.vector(text.encode()) for text in texts]
    np.testing.assert_array_equal(many, expected)
    np.testing.assert_array_equal(np.concatenate(single), expected)


async def test_cancelling_reaches_the_model(inference, models):
    call = asyncio.create_task(inference.embed("toy", ["sleep:50"]))
    await appeared(models / "begun")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await appeared(models / "cancelled")


async def test_an_unknown_model_is_unavailable(inference):
    with pytest.raises(InferenceUnavailable, match="nothing"):
        await inference.embed("nothing", ["x"])


async def test_memory_in_dev_shm_stays_flat(server, inference):
    async def burst():
        await asyncio.gather(*(inference.embed("toy", [f"{n}"] * 8) for n in range(100)))
        return sum(f.stat().st_size for f in Path("/dev/shm").glob(f"{server.shm_prefix}*"))

    before = await burst()
    after = [await burst() for _ in range(5)][-1]

    assert after == before


async def test_a_killed_server_answers_again(repository, tmp_path):
    async with (
        running(repository, tmp_path / "state") as server,
        asking([server.url], repository) as trusted,
    ):
        server.on_restart = trusted.doubt
        assert await right(trusted)
        os.kill(server.pid, signal.SIGKILL)

        await answers_in_a_row(trusted, 20)
        assert server.restarts == 1


async def test_a_killed_process_of_a_model_is_replaced(repository, tmp_path):
    async with (
        running(repository, tmp_path / "state") as server,
        asking([server.url], repository, restart=server.restart) as trusted,
    ):
        before = stubs(server.shm_prefix)
        os.kill(before[0].pid, signal.SIGKILL)
        async with asyncio.timeout(HEALED_S):
            # Each generation is a pair; what is left of the old one may still be there.
            while len({stub.pid for stub in stubs(server.shm_prefix)} - _pids(before)) < 2:
                await right(trusted)
                await asyncio.sleep(0.05)
            await answers_in_a_row(trusted, 20)

        assert server.restarts == 0
        assert trusted.trusts()[0].trusted


def _pids(found):
    return {stub.pid for stub in found}


async def test_a_remote_server_that_was_down_answers_when_it_is_up(repository, tmp_path):
    (port,) = free_ports(1)
    url = f"127.0.0.1:{port}"
    async with asking([url], repository) as trusted:
        assert not await right(trusted)
        assert trusted.servers() == (ServerState(url, False),)
        async with running(repository, tmp_path / "first", port=port):
            await answers_in_a_row(trusted, 5)
        with pytest.raises(InferenceError):
            await trusted.embed("toy", ["one"])
        async with running(repository, tmp_path / "second", port=port):
            await answers_in_a_row(trusted, 5)


async def test_one_of_two_servers_dies_and_no_request_fails(repository, tmp_path):
    async with (
        running(repository, tmp_path / "one") as one,
        running(repository, tmp_path / "two") as two,
        asking([one.url, two.url], repository) as trusted,
    ):
        os.kill(one.pid, signal.SIGKILL)
        outcomes = [await right(trusted) for _ in range(50)]

    assert all(outcomes)
