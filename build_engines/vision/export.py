"""A checkpoint, and what is trained here, into `model.onnx`; a text tower into `text.onnx`.

Inputs and outputs are named as Triton's tensors: PIXELS, EMBEDDING, KNOWN; of a text tower
`input_ids` (int64 [n, length]) and EMBEDDING. The batch is free. Also the configs of the models
that are published together.
"""

from __future__ import annotations

import logging
import warnings
from pathlib import Path

import onnx
import torch

from build_engines import export_onnx, receipt, weights
from build_engines.receipt import Receipt
from build_engines.spec import WINDOWS
from build_engines.vision import configs, families, siglip, tokens
from build_engines.vision.job import VisionJob
from build_engines.vision.spec import ENCODER, LIGHT_TEXT, PREPROCESS, SIGNALS, TEXT, Vision

# An ensemble takes no more than the models in it: image_preprocess takes 4 (its config says why).
PICTURES = 4
TEXTS = 32
_TEXT = "data_type: TYPE_STRING dims: [ 1 ]"
# A text tower spells every text, in whatever script.
_READ = {name: how for name, how in WINDOWS.items() if name != "UNREADABLE"}


def run(job: VisionJob) -> str:
    """The step: networks, tokenizer, configs, and a receipt. Returns a line for people."""
    checkpoint = weights.find(job.spec, job.root)
    trained = job.trained()
    outputs = export(job, checkpoint.folder)
    receipt.write(
        Receipt(
            step="export",
            command=job.command("export"),
            spec=job.spec.digest(),
            inputs=job.hashes(trained),
            outputs=job.hashes(outputs),
            figures={
                "source": checkpoint.source,
                "files": {name: _sha(checkpoint.folder / name, job) for name in job.spec.files},
            },
            versions=receipt.versions(),
        ),
        job,
    )
    megabytes = sum(path.stat().st_size for path in outputs) / 1e6
    return f"{job.spec.name}: exported {checkpoint.source}, {megabytes:.1f} MB"


def export(job: VisionJob, folder: Path) -> list[Path]:
    """Write everything that is not an answer of the reference into the build folder."""
    job.build.mkdir(parents=True, exist_ok=True)
    spec, size = job.spec, job.spec.pixels.size
    network = families.of(job).exported(job, folder).eval()
    example = torch.rand(3, 3, size, size) * 2 - 1  # a batch of 1 would be baked in
    graph = to_onnx(network, example, "PIXELS", ["EMBEDDING", "KNOWN"], spec)
    written = [_write(job.build / "model.onnx", graph)]
    for name, text in {"signals.pbtxt": signals(spec), "text.pbtxt": texts(spec)}.items():
        (job.build / name).write_text(text, encoding="utf-8")
        written.append(job.build / name)
    if spec.text is not None:
        del network
        tower = siglip.TextTower(siglip.load(spec, folder)).eval()
        ids = torch.zeros(3, spec.text.length, dtype=torch.int64)
        graph = to_onnx(tower, ids, "input_ids", ["EMBEDDING"], spec)
        written.append(_write(job.build / "text.onnx", graph))
        tokenizer = job.build / "tokenizer.json"
        tokenizer.write_text(tokens.served(folder, spec.text), encoding="utf-8")
        written.append(tokenizer)
    return written


def to_onnx(
    network: torch.nn.Module, example: torch.Tensor, name: str, outputs: list[str], spec: Vision
) -> onnx.ModelProto:
    """One graph over one input whose first size is free, weights stored as the spec says."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        for logger in ("torch.onnx", "onnxscript"):
            logging.getLogger(logger).setLevel(logging.ERROR)
        program = torch.onnx.export(
            network,
            (example,),
            dynamo=True,
            dynamic_shapes=({0: torch.export.Dim("rows")},),
            input_names=[name],
            output_names=outputs,
            opset_version=spec.onnx.opset,
            verbose=False,
        )
    assert program is not None
    model: onnx.ModelProto = program.model_proto
    export_onnx.strip(model)
    if spec.onnx.storage == "float16":
        export_onnx.compact(model)
    return model


def signals(spec: Vision) -> str:
    """The config of `image_signals`: a file's pixels, and what the encoder sees in them."""
    return configs.ensemble(
        configs.Shown(SIGNALS, spec.name, f"Encoded pictures to {spec.summary}"),
        min(PICTURES, spec.serving.max_batch_size),
        {"IMAGE": _TEXT},
        spec.outputs(),
        {
            PREPROCESS: ({"IMAGE": "IMAGE"}, {"PIXELS": "pixels"}),
            ENCODER: ({"PIXELS": "pixels"}, {name: name for name in spec.outputs()}),
        },
    )


def texts(spec: Vision) -> str:
    """The config of `image_text_embedding`: the light default's is `text_embedding` itself."""
    shown = configs.Shown(TEXT, spec.name, f"Texts into the space of {spec.summary}")
    outputs = {"EMBEDDING": f"data_type: TYPE_FP32 dims: [ {spec.dimension} ]"}
    if spec.text is None:
        outputs |= WINDOWS
        same = {name: name for name in outputs}
        step = {LIGHT_TEXT: ({"TEXT": "TEXT"}, same)}
        return configs.ensemble(shown, TEXTS, {"TEXT": _TEXT}, outputs, step)
    outputs |= _READ
    served = {"max_characters", "max_bytes"}
    parameters = {
        name: str(value) for name, value in spec.text.model_dump(include=served).items()
    } | {"threads": str(spec.serving.threads)}
    serving = spec.serving.model_dump() | {"max_batch_size": TEXTS}
    return configs.render(shown, serving, {"TEXT": _TEXT}, outputs, parameters)


def _write(path: Path, model: onnx.ModelProto) -> Path:
    path.write_bytes(model.SerializeToString(deterministic=True))
    onnx.checker.check_model(str(path))
    return path


def _sha(path: Path, job: VisionJob) -> str:
    (found,) = job.hashes([path]).values()
    return found
