"""The job that fills the volume: it builds once, and again only where something has changed."""

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from tests.deploy.compose import ROOT

PYTHON = """#!/bin/sh
# Stands in for `python3 -m build_engines`: says what it was asked; a plan is a file.
echo "$@" >>"$ASKED"
model=$4
while [ $# -gt 1 ]; do shift; [ "$1" = --repository ] && repository=$2; done
plan=$repository/${model}_encoder/1/model.plan
case " $(tail -n 1 "$ASKED") " in
  *" --check "*) [ -e "$plan" ] ;;
  *) [ -z "${BROKEN:-}" ] && mkdir -p "${plan%/*}" && touch "$plan" ;;
esac
"""


class Job:
    """An image's folder, a volume, and a stand-in for the builder."""

    def __init__(self, folder: Path) -> None:
        self.image, self.volume = folder / "image", folder / "models"
        self.asked = folder / "asked"
        (self.image / "model_repository/text_signals").mkdir(parents=True)
        (self.image / "model_repository/text_signals/config.pbtxt").write_text("one")
        (self.image / "model_repository/link").symlink_to("text_signals")
        self.volume.mkdir()
        shutil.copy(ROOT / "docker/engines.sh", self.image)
        self.python = folder / "python"
        self.python.write_text(PYTHON)
        self.python.chmod(0o755)

    def run(self, engines: str = "text_signals", **more: str) -> subprocess.CompletedProcess[str]:
        """What it asked of the builder is in `asked`, this run's only."""
        self.asked.write_text("")
        variables = {
            "PATH": os.defpath,
            "ASKED": str(self.asked),
            "PYTHON": str(self.python),
            "TSR_MODELS": str(self.volume),
            "TSR_ENGINES": engines,
        }
        script = ["bash", self.image / "engines.sh"]
        return subprocess.run(script, env=variables | more, capture_output=True, text=True)

    def steps(self) -> list[str]:
        return [" ".join(line.split()[2:4]) for line in self.asked.read_text().splitlines()]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_a_second_start_builds_nothing(job: Job) -> None:
    first = job.run()
    assert (first.returncode, job.steps()) == (0, ["all text_signals"])

    second = job.run()

    assert (second.returncode, job.steps()) == (0, ["publish text_signals"])
    assert "nothing to build" in second.stdout


def test_the_repository_in_the_volume_has_no_links(job: Job) -> None:
    job.run()

    copied = job.volume / "repository/link/config.pbtxt"
    assert copied.read_text() == "one"
    assert not copied.parent.is_symlink()


def test_an_engine_that_no_longer_fits_is_built_again(job: Job) -> None:
    job.run()
    (job.volume / "repository/text_signals_encoder/1/model.plan").unlink()

    assert job.run().returncode == 0
    assert job.steps() == ["publish text_signals", "all text_signals"]


def test_another_image_s_repository_replaces_the_old_one(job: Job) -> None:
    job.run()
    (job.image / "model_repository/text_signals/config.pbtxt").write_text("two")

    assert job.run().returncode == 0
    assert job.steps() == ["all text_signals"]
    assert (job.volume / "repository/text_signals/config.pbtxt").read_text() == "two"


def test_a_model_more_is_built(job: Job) -> None:
    job.run()

    assert job.run("text_signals vision_encoder").returncode == 0
    assert "all vision_encoder" in job.steps()


def test_a_build_that_fails_fails_the_job_and_is_tried_again(job: Job) -> None:
    failed = job.run(BROKEN="yes")
    assert failed.returncode != 0

    assert job.run().returncode == 0
    assert job.steps() == ["all text_signals"]


def test_a_build_that_fails_leaves_the_engines_that_there_are(job: Job) -> None:
    job.run()
    assert job.run("text_signals text_signal", BROKEN="yes").returncode != 0

    assert job.run().returncode == 0
    assert job.steps() == ["publish text_signals"]
    assert sorted(one.name for one in job.volume.iterdir() if "sha256" not in one.name) == [
        "repository",
        "repository.new",
    ]


def test_what_it_asks_of_the_builder_are_commands_that_there_are(job: Job) -> None:
    pytest.importorskip("build_engines.gpu", reason="this tree has no TensorRT target")
    builder = typer.main.get_group(importlib.import_module("build_engines.__main__").app)
    job.run()
    asked = job.asked.read_text().splitlines()
    job.run()
    asked += job.asked.read_text().splitlines()

    for line in asked:
        module, name, verb, *rest = line.split()
        assert (module, name) == ("-m", "build_engines")
        command = builder.commands[verb]
        assert command.make_context(verb, rest).args == []
