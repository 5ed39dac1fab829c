"""A published network into the graph that TensorRT builds, in the precision of the spec.

Needs no GPU: what the precision changes is measured here, by rounding as a GPU does (rounding.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import onnx
import onnxruntime as ort

from build_engines import publish, receipt
from build_engines.gpu import graph, pictures, samples
from build_engines.gpu.agreement import Agreement, Floats, Run, compare
from build_engines.gpu.job import GRAPH, WIDE, EngineJob
from build_engines.gpu.precision import kept, typed
from build_engines.gpu.rounding import opened, rounded
from build_engines.gpu.samples import Arrays, Batch
from build_engines.gpu.spec import GpuText
from build_engines.receipt import Receipt

PACKAGES = ("numpy", "onnx", "onnxruntime", "tokenizers")
ROWS = 16  # of a batch: on a CPU more at once is no faster


def run(job: EngineJob) -> str:
    """The step: the graph in float32 and in the spec's types, and what they differ by."""
    publish.verify(job.source)
    job.build.mkdir(parents=True, exist_ok=True)
    gpu = job.spec.gpu
    wide = composed(job)
    narrow = typed(wide, gpu.precision, gpu.fp32)
    outputs = []
    for name, model in ((WIDE, wide), (GRAPH, narrow)):
        outputs.append(job.build / name)
        outputs[-1].write_bytes(model.SerializeToString(deterministic=True))
    found = measured(job, wide, narrow)
    found.demand(f"{job.spec.name} in {gpu.precision}, rounded on a CPU")
    stay = kept(wide, gpu.fp32, gpu.precision)
    receipt.write(
        Receipt(
            step="export",
            command=job.command("export"),
            spec=job.spec.digest(),
            inputs=job.hashes(job.networks()),
            outputs=job.hashes(outputs),
            figures={
                "precision": gpu.precision,
                "nodes": len(wide.graph.node),
                "nodes_fp32": len(stay),
                "against_fp32_on_cpu": found.figures(),
            },
            versions=receipt.versions(PACKAGES),
        ),
        job,
    )
    return f"{job.spec.name}: a graph in {gpu.precision}; rounded as a GPU does, {said(found)}"


def composed(job: EngineJob) -> onnx.ModelProto:
    """The engine's graph in float32."""
    folder = job.source.target
    return pictures.published(folder) if job.pictures else graph.published(folder)


def measured(job: EngineJob, wide: onnx.ModelProto, narrow: onnx.ModelProto) -> Agreement:
    """Over golden texts and some written ones, or golden pictures."""
    both = answers(opened(wide)), answers(opened(rounded(narrow)))
    return compare(*both, batches(job), job.tasks())


def batches(job: EngineJob, size: int = ROWS) -> Iterable[Batch]:
    """What both forms are asked: goldens, and of a text model some written texts."""
    if job.pictures is not None:
        return samples.of_pictures(pictures.golden(job.pictures), size)
    assert isinstance(job.spec.gpu, GpuText)
    texts = [*samples.golden(job.source.target), *samples.written(job.written)]
    tokenizer = job.source.target / "tokenizer.json"
    sequences = samples.windows(texts, job.code, tokenizer, job.spec.settings)
    return samples.of_windows(sequences, job.spec.gpu.lengths, size)


def answers(session: ort.InferenceSession) -> Run:
    """What a session says of a batch, by output."""
    names = [one.name for one in session.get_outputs()]

    def run_(inputs: Arrays) -> Mapping[str, Floats]:
        rows = session.run(names, dict(inputs))
        return {name: np.asarray(row) for name, row in zip(names, rows, strict=True)}

    return run_


def said(found: Agreement) -> str:
    """For people."""
    labels = f", {found.share(False):.3%} of the labels equal" if found.asked else ""
    tokens = f", {found.share(True):.3%} of the tokens'" if found.tokens else ""
    return f"least cosine {found.least_cosine:.6f}{labels}{tokens}; {found.rows} rows"
