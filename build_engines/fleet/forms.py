"""Every file that is rendered for a model, by the form in which it is served."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from build_engines.fleet import pictures, texts, warm
from build_engines.fleet.spec import Fleet
from build_engines.fleet.texts import TextModel
from build_engines.gpu.tensors import engine_of
from build_engines.job import Job
from build_engines.signals.job import SignalsJob
from build_engines.spec import Spec
from build_engines.tasks import Signals, labels
from build_engines.vision.job import VisionJob

CPU = "configs/cpu.pbtxt"


def rendered(job: Job[Any]) -> dict[str, bytes]:
    """Path from the model's folder -> contents. A model without an engine has one form alone, which
    is then both `config.pbtxt` and the one for CPUs.

    Reads the published `tokenizer.json`, for what an engine is warmed with.
    """
    cpu = job.spec.config()
    found = {"config.pbtxt": cpu, CPU: cpu}
    if isinstance(job, VisionJob):
        gpu = job.spec.gpu
        found |= {} if gpu is None else pictures.files(job.spec, gpu)
        return _encoded(found)
    model = text_model(job)
    if model is None:
        return _encoded(found)
    folder = f"../{engine_of(model.name)}/{warm.FOLDER}"
    beside = job.trunk if isinstance(job, SignalsJob) else job.target
    samples = warm.files(model.gpu, beside / "tokenizer.json")
    return _encoded(found | texts.files(model)) | {
        f"{folder}/{name}": content for name, content in samples.items()
    }


def text_model(job: Job[Any]) -> TextModel | None:
    """None without a table [gpu]. `labels.json` of the published model says what a token task has:
    its data is not needed to check a clone."""
    spec: Spec | Signals = job.spec
    if spec.gpu is None:
        return None
    model = partial(
        TextModel,
        name=spec.name,
        summary=spec.summary,
        settings=spec.settings(),
        gpu=spec.gpu,
        fleet=spec.fleet or Fleet(),
    )
    if isinstance(spec, Spec):
        return model(dimension=spec.dimension)
    stated = json.loads((job.target / "labels.json").read_text(encoding="utf-8"))
    kinds = {name: one.kind for name, one in spec.tasks.items()}
    return model(
        dimension=spec.encoder().dimension,
        sequences={name: len(labels(name)) for name, kind in kinds.items() if kind == "sequence"},
        # O, and B- and I- of each label.
        tokens={
            name: 1 + 2 * len(stated[name]["labels"])
            for name, kind in kinds.items()
            if kind == "token"
        },
        order=tuple(kinds),
    )


def _encoded(files: dict[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}
