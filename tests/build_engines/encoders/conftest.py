"""Each tiny encoder exported, compared with PyTorch and published once; tests may only read it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines import check_parity, export_onnx, publish
from build_engines.job import ROOT, Job
from build_engines.spec import Spec
from tests.build_engines.encoders import checkpoints
from tests.build_engines.encoders.vocabularies import CORPUS

LONG = " ".join(CORPUS[:3])
TEXTS = {
    "empty": "",
    "spaces": "   ",
    "one letter": "a",
    "sentence": CORPUS[1],
    "space before it": " the river",
    "other scripts": "春天河水上涨 ζ ، النهر",
    "looks like special tokens": "[CLS] </s> <|endoftext|> <bos>",
    **{f"a sentence {count} times": " ".join([CORPUS[2]] * count) for count in (2, 3, 5)},
    "more than is read": LONG * 20,
}


@dataclass(frozen=True)
class Built:
    name: str
    folder: Path  # of the checkpoint
    job: Job[Spec]


def job_of(name: str, folder: Path, root: Path, **changes: object) -> Job[Spec]:
    texts = root / "texts.json"
    rows = [{"name": key, "text": text} for key, text in TEXTS.items()]
    texts.write_text(json.dumps(rows), encoding="utf-8")
    spec = checkpoints.spec_of(name, folder, **changes)
    return Job(
        spec=spec,
        root=root,
        build=root / "build",
        code=ROOT / "model_repository" / "text_embedding" / "1",
        target=root / "models" / spec.name,
        texts=texts,
        brings_code=True,
    )


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """Name -> its folder."""
    root = tmp_path_factory.mktemp("checkpoints")
    return {name: checkpoints.write(name, root / name) for name in checkpoints.KINDS}


class Builds(Mapping):
    """Name -> the whole build, made when it is first asked for."""

    def __init__(self, checkpoints_of, folder_of):
        self._checkpoints, self._folder_of = checkpoints_of, folder_of
        self._made = {}

    def __iter__(self):
        return iter(checkpoints.KINDS)

    def __len__(self):
        return len(checkpoints.KINDS)

    def __getitem__(self, name):
        if name not in self._made:
            job = job_of(name, self._checkpoints[name], self._folder_of(name))
            for step in (export_onnx, check_parity, publish):
                step.run(job)
            self._made[name] = Built(name, self._checkpoints[name], job)
        return self._made[name]


@pytest.fixture(scope="session")
def every(checkpoint, tmp_path_factory):
    return Builds(checkpoint, tmp_path_factory.mktemp)


@pytest.fixture(params=list(checkpoints.KINDS))
def built(request, every):
    return every[request.param]
