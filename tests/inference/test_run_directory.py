import os
import subprocess
import sys
import textwrap

import pytest

from orchestrator.inference.installation import SHARED_MEMORY
from orchestrator.inference.run_directory import LAST_LOG, open_run_directory


@pytest.fixture
def shared_files():
    made = []

    def touch(prefix):
        path = SHARED_MEMORY / f"{prefix}test"
        path.touch()
        made.append(path)
        return path

    yield touch
    for path in made:
        path.unlink(missing_ok=True)


def _die_holding_one(state):
    """Another process that opens a run directory and is killed; returns its folder's prefix."""
    script = """
        import os, sys
        from pathlib import Path
        from orchestrator.inference.run_directory import open_run_directory
        run = open_run_directory(Path(sys.argv[1]))
        run.log.write_text("its last words")
        print(run.shm_prefix, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(state)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    return done.stdout.strip()


def test_closing_removes_folder_and_shared_memory(tmp_path, shared_files):
    run = open_run_directory(tmp_path)
    left = shared_files(run.shm_prefix)
    run.close()

    assert not left.exists()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(run.lock)


def test_a_living_run_is_left_alone(tmp_path, shared_files):
    first = open_run_directory(tmp_path)
    kept = shared_files(first.shm_prefix)
    second = open_run_directory(tmp_path)

    assert first.shm_prefix != second.shm_prefix
    assert kept.exists()
    assert first.path.exists()
    second.close()
    assert kept.exists()
    first.close()


def test_a_folder_without_a_lock_is_left_alone(tmp_path):
    young = tmp_path / "run-young"
    young.mkdir()
    open_run_directory(tmp_path).close()

    assert young.exists()


def test_what_a_dead_run_left_is_removed_by_the_next(tmp_path, shared_files):
    left = shared_files(_die_holding_one(tmp_path))
    open_run_directory(tmp_path).close()

    assert not left.exists()
    assert [path.name for path in tmp_path.iterdir()] == [LAST_LOG]
    assert (tmp_path / LAST_LOG).read_text() == "its last words"


def test_the_prefix_says_whose_it_is(tmp_path):
    run = open_run_directory(tmp_path)
    run.close()

    assert run.shm_prefix == f"tsr-{run.path.name.removeprefix('run-')}-"
