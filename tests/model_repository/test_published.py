"""What is committed is what the specs and the receipts say; no torch needed."""

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from build_engines import publish
from build_engines.errors import DriftError
from build_engines.kinds import job_of
from build_engines.spec import MODELS

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in MODELS.glob("*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_published_files_are_the_built_ones(name):
    job = job_of(name)
    record = job.target / "receipt.json"
    if not record.is_file():
        pytest.skip(f"{name} is not published: make engines MODEL={name}")
    if json.loads(record.read_text(encoding="utf-8"))["command"] != job.command("all"):
        pytest.skip(f"another model is published in {job.target.name}")

    publish.verify(job)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(
            lambda target: (target / "goldens.json").write_text("{}"),
            "goldens.json is not the published one",
            id="file changed",
        ),
        pytest.param(
            lambda target: (target / "tokenizer.json").unlink(),
            "tokenizer.json is missing",
            id="file missing",
        ),
        pytest.param(
            lambda target: (target / "config.pbtxt").write_text("max_batch_size: 1"),
            "config.pbtxt is not what the spec renders",
            id="config edited by hand",
        ),
        pytest.param(
            lambda target: (target / "receipt.json").unlink(), "no receipt.json", id="no receipt"
        ),
    ],
)
def test_drift_is_named(tmp_path, damage, message):
    job = job_of("text_embedding")
    copy = tmp_path / "text_embedding"
    shutil.copytree(job.target, copy)
    damage(copy)

    with pytest.raises(DriftError, match=message):
        publish.verify(replace(job, target=copy))


def test_a_changed_spec_is_drift():
    job = job_of("text_embedding")
    other = job.spec.model_copy(update={"pooling": "cls"})

    with pytest.raises(DriftError, match="the spec has changed since"):
        publish.verify(replace(job, spec=other))


def test_committed_models_are_small(folder):
    found = folder.parent.rglob("*")
    published = [path for path in found if path.is_file() and not path.is_symlink()]

    assert sum(path.stat().st_size for path in published) <= 80e6


def test_a_wheel_carries_no_large_file_twice(folder):
    """It holds no links: what one names would be packed again."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    links = [path for path in folder.parent.rglob("*") if path.is_symlink()]
    large = [f"/{path.relative_to(ROOT)}" for path in links if path.stat().st_size > 1e6]

    assert large == project["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"]
