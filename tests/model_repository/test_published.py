"""What is committed is what the specs and the receipts say; no torch needed."""

import shutil
from dataclasses import replace

import pytest

from build_engines import publish
from build_engines.errors import DriftError
from build_engines.kinds import job_of
from build_engines.spec import MODELS

NAMES = sorted(path.stem for path in MODELS.glob("*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_published_files_are_the_built_ones(name):
    job = job_of(name)
    if not (job.target / "receipt.json").is_file():
        pytest.skip(f"{name} is not published: make engines MODEL={name}")

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
