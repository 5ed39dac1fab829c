"""Which reference a model of a repository has, and what of it is asked."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from build_engines import check_parity, weights
from build_engines.errors import BuildError, DriftError, SpecError
from build_engines.job import Job, sha256
from build_engines.kinds import job_of
from build_engines.live import chart, pictures, texts
from build_engines.live.pictures import Outcome
from build_engines.live.server import Eyes, Server
from build_engines.signals import parity as classifiers
from build_engines.signals import served as reader
from build_engines.signals.job import SignalsJob
from build_engines.spec import MODELS, Spec, path_of
from build_engines.spec import read as read_spec
from build_engines.vision import faults, served, siglip, tokens
from build_engines.vision.isolation import Reference
from build_engines.vision.job import VisionJob
from build_engines.vision.spec import ENCODER, LIGHT_TEXT, PREPROCESS, SIGNALS, TEXT
from orchestrator.errors import RouterError

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Pictures:
    """An image encoder, whole and in parts."""

    job: VisionJob
    reference: Reference
    models: tuple[str, ...] = (SIGNALS,)  # Triton loads its steps with it
    sees: bool = True

    def compare(self, url: str, files: Mapping[str, bytes], progress: Progress) -> Outcome:
        with _readable(), closing(Server(url)) as server:
            eyes = Eyes(server)
            return pictures.compare(eyes, self.reference, files, self.job.spec.tolerance, progress)


@dataclass(frozen=True, slots=True)
class Texts:
    """A text encoder, on its golden texts."""

    model: str
    read: texts.Read
    sees: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def compare(self, url: str, _: Mapping[str, bytes], progress: Progress) -> Outcome:
        with _readable(), closing(Server(url)) as server:
            return texts.compare(server, self.model, self.read, progress)


def subject(model: str, repository: Path) -> Pictures | Texts:
    """Loads the reference, which takes seconds. Raises RouterError where there is none."""
    known: dict[str, Callable[[str, Path], Pictures | Texts]] = {
        ENCODER: lambda _, folder: seeing(published(folder)),
        SIGNALS: lambda _, folder: seeing(published(folder)),
        TEXT: lambda name, folder: Texts(name, labels(published(folder))),
    }
    with _readable(), warnings.catch_warnings():
        # PEFT asks transformers 5 by a name that goes in 6.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        if model in known:
            return known[model](model, repository)
        if model == PREPROCESS:
            raise SpecError(f"{model} has no weights of its own: compare {ENCODER}")
        job: Job[Any] = job_of(model, repository=repository)
        if isinstance(job, SignalsJob):
            return Texts(model, tasks(job))
        return Texts(model, embedding(job))


def draw(outcome: Outcome, path: Path) -> None:
    """Write the cosines as a PNG. Raises RouterError where that cannot be written."""
    try:
        chart.draw(outcome.document, path)
    except OSError as error:
        raise RouterError(f"cannot write {path}: {error.strerror or error}") from None


def seeing(job: VisionJob) -> Pictures:
    _, code = served.preprocessor(job)
    folder = weights.find(job.spec, job.root).folder
    return Pictures(job, faults.reference_of(job, folder, code))


def published(repository: Path) -> VisionJob:
    """The job that published the image encoder of a repository. Raises DriftError."""
    record = repository / ENCODER / "receipt.json"
    try:
        receipt = json.loads(record.read_text(encoding="utf-8"))
        digest, steps = receipt["spec"], receipt["steps"]
    except (OSError, json.JSONDecodeError, KeyError) as error:
        raise DriftError(f"{record} does not say what was published: {error!r}") from None
    for name in sorted(path.stem for path in MODELS.glob("*.toml")):
        job: Job[Any] = job_of(name, repository=repository)
        if isinstance(job, VisionJob) and job.spec.digest() == digest:
            _require_trained(job, steps, record)
            return job
    raise DriftError(f"{record}: no spec of {MODELS} has built this; run: make engines MODEL=...")


def _require_trained(job: VisionJob, steps: list[dict[str, Any]], record: Path) -> None:
    """Raises DriftError where other weights were trained since."""
    read = {one for step in steps for one in step["inputs"].values()}
    changed = [path for path in job.trained() if sha256(path) not in read]
    if changed:
        names = ", ".join(path.name for path in changed)
        raise DriftError(f"{record}: built from another {names}; run: {job.command('all')}")


def embedding(job: Job[Spec]) -> texts.Read:
    """The golden texts of a sentence encoder."""
    rows = json.loads(job.texts.read_text(encoding="utf-8"))
    names, plain = [row["name"] for row in rows], [row["text"] for row in rows]
    folder = weights.find(job.spec, job.root).folder
    found = check_parity.reference(job.spec, folder, plain).embeddings
    return texts.Read(names, plain, found, job.spec.tolerance.export)


def tasks(job: SignalsJob) -> texts.Read:
    """The golden texts of the text classifier; of its tasks those that give probabilities."""
    names, plain = classifiers.golden_texts(job)
    found = classifiers.reference(job, reader.code(job.code), plain)
    return texts.Read(
        names,
        plain,
        found.embeddings.embeddings,
        job.spec.encoder().tolerance.export,
        found.probabilities,
        job.spec.tolerance.export,
    )


def labels(job: VisionJob) -> texts.Read:
    """The golden prompts of an image encoder's text tower."""
    rows = json.loads(job.prompts.read_text(encoding="utf-8"))
    names, plain = [row["name"] for row in rows], [row["text"] for row in rows]
    if job.spec.text is None:
        spec = read_spec(path_of(LIGHT_TEXT))
        folder = weights.find(spec, job.root).folder
        found = check_parity.reference(spec, folder, plain).embeddings
        return texts.Read(names, plain, found, spec.tolerance.export)
    folder = weights.find(job.spec, job.root).folder
    model = siglip.load(job.spec, folder)
    rows_of = []
    with torch.inference_mode():
        for ids in tokens.reference_ids(folder, job.spec.text, plain):
            pooled = model.get_text_features(input_ids=torch.tensor([ids])).pooler_output
            rows_of.append(torch.nn.functional.normalize(pooled, dim=-1)[0].numpy())
    stacked = np.stack(rows_of).astype(np.float32)
    return texts.Read(names, plain, stacked, job.spec.tolerance.export)


@contextmanager
def _readable() -> Iterator[None]:
    """A failure of the build side as one that the command line prints in a line."""
    try:
        yield
    except BuildError as error:
        raise RouterError(str(error)) from error
