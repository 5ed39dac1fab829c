"""Pictures and labels through the code that serves them, against PyTorch and transformers.

The reference shares nothing with the served code but the decoding of a file (how it is turned
upright and put on white is ours): pixels by the image processor of Hugging Face, embeddings by the
reference network of the family, one picture at a time. Its answers become the goldens of two
models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import torch
import transformers

from build_engines import check_parity, receipt, weights
from build_engines.errors import ParityError
from build_engines.receipt import Receipt
from build_engines.vision import families, labels, naming, pixels, served
from build_engines.vision.job import VisionJob
from build_engines.vision.served import Floats
from build_engines.vision.spec import SIGNALS

# Each picture alone, by threes, all at once: batching must not show.
BATCHES = (1, 3, 1_000_000)


def run(job: VisionJob) -> str:
    """The step: compare, leave goldens and a receipt."""
    receipt.require("export", job)
    checkpoint = weights.find(job.spec, job.root)
    try:
        shown = seen(job, checkpoint.folder)
        pictures = compare(job, shown)
    except ParityError as error:
        raise ParityError(_explained(error, job, checkpoint.folder)) from error
    prompts, reader = labels.reference(job)
    figures = pictures | labels.compare(job, prompts, reader)
    written = {"goldens.json": goldens(job, shown), "text_goldens.json": prompts.goldens(job)}
    for name, document in written.items():
        text = json.dumps(document, ensure_ascii=False) + "\n"
        (job.build / name).write_text(text, encoding="utf-8")
    code = [*_code(job.code), *_code(job.preprocess / "1")]
    read = [job.build / "model.onnx", job.prompts, *job.shown(), *job.trained(), *code]
    if job.spec.text is not None:
        read += [job.build / "text.onnx", job.build / "tokenizer.json", *_code(job.tower)]
    receipt.write(
        Receipt(
            step="parity",
            command=job.command("parity"),
            spec=job.spec.digest(),
            inputs=job.hashes(read),
            outputs=job.hashes(job.build / name for name in written),
            figures=figures,
            versions=receipt.versions() | {"pillow": PIL.__version__},
        ),
        job,
    )
    return f"{job.spec.name}: {_said(figures)} over {figures['pictures']} pictures"


def _explained(error: ParityError, job: VisionJob, folder: Path) -> str:
    """With the fault's name: a number says that something is wrong, and not what."""
    said = naming.named(job, folder)
    return f"{error}; {said}" if said else str(error)


class Shown:
    """The golden pictures, and what the reference makes of them."""

    def __init__(self, names: list[str], values: Floats, embeddings: Floats, known: Floats) -> None:
        self.names = names
        self.pixels = values  # [pictures, 3, size, size]
        self.embeddings = embeddings  # [pictures, d]
        self.known = known  # [pictures]


def seen(job: VisionJob, folder: Path) -> Shown:
    """The reference's answers. Raises ParityError where our pixels are not the processor's."""
    ours, code = served.preprocessor(job)
    reference = pixels.reference(job.spec.pixels, code)
    values = []
    for path in job.shown():
        data = path.read_bytes()
        values.append(reference(data))
        if ours(data).tobytes() != values[-1].tobytes():
            raise ParityError(f"{path}: other pixels than those of the reference")
    stacked = np.stack(values)
    network = families.of(job).reference(job, folder)
    names = [path.name for path in job.shown()]
    return Shown(names, stacked, *families.answers(network, stacked))


def compare(job: VisionJob, shown: Shown) -> dict[str, Any]:
    """Least cosine and worst KNOWN over all batchings. Raises ParityError beyond the tolerance."""
    encoder = served.encoder(job)
    least, worst = {}, 0.0
    for size in BATCHES:
        rows = range(0, len(shown.pixels), size)
        parts = [encoder.encode(shown.pixels[at : at + size]) for at in rows]
        embeddings = np.concatenate([part.embeddings for part in parts])
        known = np.concatenate([part.known for part in parts])
        if not np.isfinite(embeddings).all():
            raise ParityError(f"{job.spec.name}: an embedding is not finite")
        # NaN is neither above nor below a limit: hence `not …`.
        if not np.abs(np.linalg.norm(embeddings, axis=1) - 1).max() < 1e-3:
            raise ParityError(f"{job.spec.name}: an embedding is not of length 1")
        name = str(min(size, len(shown.pixels)))
        least[name] = float(check_parity.cosines(embeddings, shown.embeddings).min())
        worst = max(worst, float(np.abs(known - shown.known).max()))
    tolerance = job.spec.tolerance
    if not min(least.values()) >= tolerance.export:
        raise ParityError(
            f"{job.spec.name}: least cosine {least} (by batch size), less than {tolerance.export}"
        )
    if not worst <= tolerance.known:
        raise ParityError(f"{job.spec.name}: KNOWN is off by {worst:.5f}")
    return {
        "least_cosine": least,
        "known": worst,
        "tolerance": tolerance.export,
        "pictures": len(shown.names),
    }


def goldens(job: VisionJob, shown: Shown) -> dict[str, Any]:
    """What model_repository/README.md describes, of `image_signals`."""
    return {
        "model": SIGNALS,
        "tolerance": job.spec.tolerance.model_dump(include={"cosine", "known"}),
        "floor": job.spec.floor,
        "reference": {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "pillow": PIL.__version__,
        },
        "pictures": shown.names,
        "pixels": [digest(one) for one in shown.pixels],
        "embeddings": [[float(str(value)) for value in row] for row in shown.embeddings],
        "known": [float(str(value)) for value in shown.known],
    }


def digest(values: Floats) -> str:
    """sha256 of PIXELS as little-endian float32, in C order."""
    return hashlib.sha256(np.ascontiguousarray(values, "<f4").tobytes()).hexdigest()


def meets(job: VisionJob, path: Path) -> str:
    """How near a build comes to goldens made earlier. Raises ParityError beyond the tolerance.

    `path`: goldens.json in the folder of the encoder, whose goldens are those of `image_signals`.
    """
    made = json.loads((path.parent.parent / SIGNALS / path.name).read_text(encoding="utf-8"))
    ours, _ = served.preprocessor(job)
    values = np.stack([ours((job.pictures / name).read_bytes()) for name in made["pictures"]])
    if [digest(one) for one in values] != made["pixels"]:
        raise ParityError(f"{job.spec.name}: other pixels than those of the goldens")
    embeddings, known = (np.asarray(made[name], np.float32) for name in ("embeddings", "known"))
    return _said(compare(job, Shown(made["pictures"], values, embeddings, known)))


def _code(folder: Path) -> Iterable[Path]:
    return check_parity.code_of(folder)


def _said(figures: dict[str, Any]) -> str:
    return f"least cosine {min(figures['least_cosine'].values()):.8f}"
