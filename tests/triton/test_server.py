"""EmbeddedTriton with the real tritonserver: life, death, and nothing left behind."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.installation import SHARED_MEMORY
from orchestrator.inference.rows import Row
from orchestrator.inference.run_directory import LAST_LOG
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.stubs import stubs
from tests.triton import toy

pytestmark = pytest.mark.triton
ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0


@pytest.fixture
def repository(tmp_path):
    return toy.write(tmp_path / "models")


@contextlib.asynccontextmanager
async def running(repository, state_dir, **options):
    server = EmbeddedTriton(repository, state_dir=state_dir, exit_timeout_s=1, **options)
    await server.start()
    endpoint = Endpoint(server.url)
    try:
        yield server, endpoint
    finally:
        await endpoint.close()
        await server.stop()


def shared(prefix):
    return [path.name for path in SHARED_MEMORY.glob(f"{prefix}*")]


def alive(pid):
    """A zombie that its new parent has not reaped yet is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(condition, *arguments):
    async with asyncio.timeout(LIMIT_S):
        while not condition(*arguments):
            await asyncio.sleep(0.02)


async def test_it_serves_and_leaves_nothing(repository, tmp_path):
    async with running(repository, tmp_path / "state") as (server, endpoint):
        answers = await endpoint.ask("toy", [Row(b"one"), Row(b"two")])
        pids = [server.pid, *(stub.pid for stub in stubs(server.shm_prefix))]
        prefix, log = server.shm_prefix, server.log_path
        assert len(pids) == 3
        assert shared(prefix)
        assert log.exists()

    for answer, text in zip(answers, (b"one", b"two"), strict=True):
        assert (answer.vector == toy.vector(text)).all()
    assert [pid for pid in pids if alive(pid)] == []
    assert shared(prefix) == []
    assert not log.parent.exists()


@pytest.mark.parametrize("victim", ["server", "keeper"])
async def test_a_killed_server_comes_back_at_the_same_place(repository, tmp_path, victim):
    restarted = asyncio.Event()
    async with running(repository, tmp_path / "state", on_restart=restarted.set) as (
        server,
        endpoint,
    ):
        url, first, prefix = server.url, server.pid, server.shm_prefix
        before = stubs(prefix)
        keeper = int(Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(first if victim == "server" else keeper, signal.SIGKILL)
        await asyncio.wait_for(restarted.wait(), LIMIT_S)

        assert (server.url, server.restarts) == (url, 1)
        await until(lambda: not any(alive(pid) for pid in (first, *(s.pid for s in before))))
        vector = await _vector(endpoint)

    assert (vector == toy.vector(b"one")).all()
    assert shared(prefix) == []


async def test_a_server_that_cannot_be_spawned_is_tried_again(repository, tmp_path, caplog):
    restarted, state = asyncio.Event(), tmp_path / "state"
    async with running(repository, state, on_restart=restarted.set) as (server, endpoint):
        obstacle = state / LAST_LOG / "x"  # the log cannot be moved away, as on a full disk
        obstacle.mkdir(parents=True)
        os.kill(server.pid, signal.SIGKILL)
        await until(lambda: "tritonserver cannot be run" in caplog.text)
        obstacle.rmdir()
        obstacle.parent.rmdir()
        await asyncio.wait_for(restarted.wait(), LIMIT_S)

        assert (await _vector(endpoint) == toy.vector(b"one")).all()


async def test_two_run_side_by_side_from_a_path_with_spaces(tmp_path):
    home = tmp_path / "a folder; with $HOME"
    one, other = toy.write(home / "one"), toy.write(home / "other", sign=-1)
    async with (
        running(one, home / "state") as (first, to_first),
        running(other, home / "state", models=["toy"]) as (second, to_second),
    ):
        assert first.url != second.url
        assert first.shm_prefix != second.shm_prefix
        right, inverted = await asyncio.gather(
            *(_vector(endpoint) for endpoint in (to_first, to_second))
        )
        os.kill(second.pid, signal.SIGKILL)
        again = await _vector(to_first)

    assert (right == toy.vector(b"one")).all()
    assert (inverted == -toy.vector(b"one")).all()
    assert (again == right).all()


async def _vector(endpoint):
    [answer] = await endpoint.ask("toy", [Row(b"one")])
    return answer.vector


async def test_stubs_that_a_reload_leaves_over_are_ended(repository, tmp_path):
    async with running(repository, tmp_path / "state", stubs_s=0.5) as (server, endpoint):
        dead, leftover = stubs(server.shm_prefix)
        os.kill(dead.pid, signal.SIGKILL)
        await until(lambda: not alive(dead.pid))
        failures = 0
        for _ in range(4):
            try:
                await _vector(endpoint)
            except Exception:  # noqa: BLE001 -- which one is not the question here
                failures += 1
        assert failures
        await endpoint.reload("toy")

        await until(lambda: not alive(leftover.pid))
        assert len(stubs(server.shm_prefix)) == 2
        assert (await _vector(endpoint) == toy.vector(b"one")).all()


PARENT = """
    import asyncio, sys
    from pathlib import Path
    from orchestrator.inference.server import EmbeddedTriton

    async def main():
        server = EmbeddedTriton(Path(sys.argv[1]), state_dir=Path(sys.argv[2]), exit_timeout_s=1)
        await server.start()
        print(server.pid, server.shm_prefix, flush=True)
        await asyncio.Event().wait()

    {run}
"""
LOOPS = {
    "asyncio": "asyncio.run(main())",
    "uvloop": "import uvloop; uvloop.run(main())",
    "a thread": (
        "import threading; thread = threading.Thread(target=asyncio.run, args=(main(),)); "
        "thread.start(); thread.join()"
    ),
}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda n: n.name)
async def test_nothing_outlives_its_parent(repository, tmp_path, number):
    with contextlib.ExitStack() as stack:
        parents = {name: stack.enter_context(_parent(name, repository, tmp_path)) for name in LOOPS}
        for name, parent in parents.items():
            pid, prefix = parent.stdout.readline().split()
            pids = [int(pid), *(stub.pid for stub in stubs(prefix))]
            assert all(map(alive, pids)), name
            assert len(pids) == 3, name
            parent.send_signal(number)

            await until(lambda pids=pids: not any(map(alive, pids)))
            await until(lambda prefix=prefix: not shared(prefix))


@contextlib.contextmanager
def _parent(loop, repository, folder):
    """A process that starts a server in its own way; it says which one."""
    script = textwrap.dedent(PARENT).format(run=LOOPS[loop])
    with subprocess.Popen(
        [sys.executable, "-c", script, str(repository), str(folder / loop)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as parent:
        try:
            yield parent
        finally:
            parent.kill()


async def test_a_taken_port_is_named(repository, tmp_path):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(ServerStartError, match=f"port {port} on 127.0.0.1 is taken"):
            async with running(repository, tmp_path / "state", port=port):
                pass

    assert not list((tmp_path / "state").glob("run-*"))


async def test_a_model_that_does_not_load_is_named(repository, tmp_path):
    (repository / "toy" / "1" / "model.py").write_text("import no_such_module\n")

    with pytest.raises(ServerStartError, match="no_such_module"):
        async with running(repository, tmp_path / "state"):
            pass

    assert not list((tmp_path / "state").glob("run-*"))
