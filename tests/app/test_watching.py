import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from orchestrator.app.watching import Pace, look, watch

FAST = Pace(between=0.01, settled=0.01, longest=0.1, again=0.05)


@asynccontextmanager
async def watching(path, good=lambda: True, pace=FAST):
    """A queue of what the file said at each call."""
    found = asyncio.Queue()

    async def changed():
        found.put_nowait(path.read_text() if path.exists() else None)
        return good()

    task = asyncio.create_task(watch(path, changed, pace))
    try:
        async with asyncio.timeout(30):
            yield found
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def renamed(path, text):
    other = path.with_name("swap")
    other.write_text(text)
    other.replace(path)


def in_place(path, text):
    path.write_text(text)


def with_the_same_time(path, text):
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("write", [in_place, renamed, with_the_same_time])
async def test_every_way_to_write_is_seen_once(tmp_path, write):
    path = tmp_path / "router.yaml"
    path.write_text("a")
    async with watching(path) as found:
        assert await found.get() == "a"
        write(path, "b")
        assert await found.get() == "b"
        await asyncio.to_thread(write, path, "c")
        assert await found.get() == "c"
        assert found.empty()


async def test_a_config_map_whose_folder_is_exchanged_is_seen(tmp_path):
    """Kubernetes: router.yaml -> ..data/router.yaml, ..data -> the folder of a version."""
    for version in ("one", "two"):
        folder = tmp_path / f"..{version}"
        folder.mkdir()
        (folder / "router.yaml").write_text(version)
    (tmp_path / "..data").symlink_to("..one")
    path = tmp_path / "router.yaml"
    path.symlink_to("..data/router.yaml")
    async with watching(path) as found:
        assert await found.get() == "one"
        (tmp_path / "..data_tmp").symlink_to("..two")
        (tmp_path / "..data_tmp").replace(tmp_path / "..data")
        assert await found.get() == "two"


async def test_a_file_that_is_away_for_a_moment_is_waited_for(tmp_path):
    path = tmp_path / "router.yaml"
    path.write_text("a")
    async with watching(path, pace=Pace(0.01, 0.02, longest=20)) as found:
        await found.get()
        path.unlink()
        await asyncio.sleep(0.06)
        path.write_text("b")

        assert await found.get() == "b"


async def test_a_file_that_stays_away_is_told(tmp_path):
    path = tmp_path / "router.yaml"
    path.write_text("a")
    async with watching(path) as found:
        await found.get()
        path.unlink()

        assert await found.get() is None


async def test_what_did_not_succeed_is_tried_again(tmp_path):
    path = tmp_path / "router.yaml"
    path.write_text("a")
    outcomes = iter([False, False, True])
    async with watching(path, good=lambda: next(outcomes)) as found:
        assert [await found.get() for _ in range(3)] == ["a"] * 3


def test_what_is_not_there_looks_like_nothing(tmp_path):
    assert look(tmp_path / "nothing") is None
