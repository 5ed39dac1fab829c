"""A checked build into the folders of three models, and its pixels into `image_preprocess`."""

from __future__ import annotations

import shutil

from build_engines import publish, receipt
from build_engines.vision.configs import with_pixels
from build_engines.vision.job import VisionJob
from build_engines.vision.spec import ENCODER, PREPROCESS, SIGNALS, TEXT


def run(job: VisionJob) -> str:
    """The step. Where another encoder was, it is replaced: the models' names stay the same."""
    for step in ("export", "parity"):
        receipt.require(step, job)
    _set_pixels(job)
    if job.spec.text is None:  # what a text tower before it has left
        for name in ("1/model.onnx", "tokenizer.json"):
            (job.target.parent / TEXT / name).unlink(missing_ok=True)
    _copy_pictures(job)
    publish.run(job)
    return f"{job.spec.name}: published as {ENCODER}, {SIGNALS} and {TEXT} in {job.target.parent}"


def _set_pixels(job: VisionJob) -> None:
    """Only the four parameters and the shape: the rest of that config is written by hand."""
    path = job.target.parent / PREPROCESS / "config.pbtxt"
    source = path if path.is_file() else job.preprocess / "config.pbtxt"
    text = with_pixels(source.read_text(encoding="utf-8"), job.spec.pixels.parameters())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy_pictures(job: VisionJob) -> None:
    folder = job.target.parent / SIGNALS / "pictures"
    if folder.resolve() != job.pictures.resolve():
        shutil.copytree(job.pictures, folder, dirs_exist_ok=True)
