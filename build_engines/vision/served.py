"""The Python that Triton runs for pictures and for their labels, as Triton imports it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from build_engines.vision.job import VisionJob

Floats = npt.NDArray[np.float32]


class Seen(Protocol):
    embeddings: Floats
    known: Floats


class Encoder(Protocol):
    def encode(self, pixels: Floats) -> Seen: ...


class Encoded(Protocol):
    embeddings: Floats
    truncated: npt.NDArray[np.bool_]


class Tower(Protocol):
    def encode(self, texts: Sequence[str]) -> Encoded: ...

    def ids(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]: ...


def module(folder: Path, name: str) -> ModuleType:
    """A module of a version's folder, with its neighbours. Other models have some of that name."""
    with _alone(folder):
        return importlib.import_module(name)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    names = [path.stem for path in folder.glob("*.py")]
    set_aside = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(set_aside)


def preprocessor(job: VisionJob) -> tuple[Callable[[bytes], Floats], ModuleType]:
    """PIXELS of an encoded file, [3, size, size], by the spec's settings; and its module."""
    code = module(job.preprocess / "1", "pixels")
    rows = (job.preprocess / "config.pbtxt").read_text(encoding="utf-8").splitlines()
    parts = [row.split('"') for row in rows if row.startswith("parameters")]
    settings = {part[1]: part[3] for part in parts} | job.spec.pixels.parameters()
    pixels: Callable[[bytes], Floats] = code.Preprocessor(code.Settings.read(settings)).pixels
    return pixels, code


def encoder(job: VisionJob) -> Encoder:
    """The network of the build in the served code."""
    code = module(job.code, "encoder")
    loaded: Encoder = code.Encoder.load(job.build / "model.onnx", job.spec.serving.threads)
    return loaded


def tower(job: VisionJob) -> Tower:
    """The text tower of the build in the served code."""
    assert job.spec.text is not None
    code = module(job.tower, "tower")
    loaded: Tower = code.Tower.load(
        job.build / "text.onnx",
        job.build / "tokenizer.json",
        job.spec.text.max_characters,
        job.spec.serving.threads,
    )
    return loaded
