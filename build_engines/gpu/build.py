"""A graph into a plan for the GPU of this machine, and what is known of it."""

from __future__ import annotations

import time
from dataclasses import asdict

import onnx

from build_engines import receipt
from build_engines.gpu.asked import Wanted
from build_engines.gpu.builder import Built, Options, build
from build_engines.gpu.here import Here
from build_engines.gpu.job import GRAPH, PLAN, TIMINGS, WIDE, EngineJob
from build_engines.gpu.precision import kept
from build_engines.receipt import Receipt

PACKAGES = ("numpy", "onnx")


def run(job: EngineJob, here: Here, wanted: Wanted) -> str:
    """The step: the plan, its timing cache, and a receipt with the place it was built in."""
    exported = receipt.require("export", job)
    options = _options(job, wanted)
    strong = options.strongly_typed(here.place.tensorrt)
    graph = (job.build / (GRAPH if strong else WIDE)).read_bytes()
    cache = job.build / TIMINGS
    timings = cache.read_bytes() if cache.is_file() else b""
    began = time.monotonic()
    built = build(here.trt, graph, job.profiles(), options, timings)
    seconds = round(time.monotonic() - began, 1)
    (job.build / PLAN).write_bytes(built.plan)
    cache.write_bytes(built.timings)
    receipt.write(
        Receipt(
            step="build",
            command=" ".join([job.command("build"), *wanted.options()]),
            spec=job.spec.digest(),
            inputs=exported.outputs,
            outputs=job.hashes([job.build / PLAN]),
            figures=_figures(job, here, wanted, strong, built)
            | {"seconds": seconds, "timings_reused": bool(timings)},
            versions=receipt.versions(PACKAGES) | {"tensorrt": here.place.tensorrt},
        ),
        job,
    )
    size = len(built.plan) / 1e6
    return (
        f"{job.spec.name}: a plan of {size:.1f} MB for {here.place.gpu} by TensorRT "
        f"{here.place.tensorrt} in {seconds} s"
    )


def _options(job: EngineJob, wanted: Wanted) -> Options:
    gpu = job.spec.gpu
    wide = onnx.load(job.build / WIDE)
    return Options(
        precision=gpu.precision,
        kept=kept(wide, gpu.fp32, gpu.precision),
        workspace=gpu.workspace,
        hardware=wanted.hardware,
        versions=wanted.versions,
        typed=wanted.typed,
    )


def _figures(
    job: EngineJob, here: Here, wanted: Wanted, strong: bool, built: Built
) -> dict[str, object]:
    return {
        "built": asdict(here.place),
        "hardware": str(wanted.hardware),
        "versions": wanted.versions,
        "precision": job.spec.gpu.precision,
        "strongly_typed": strong,
        "layers": built.layers,
        "layers_fp32": built.layers_fp32,
        "bytes": len(built.plan),
        "profiles": [
            {
                "name": profile.name,
                "inputs": {name: asdict(one) for name, one in profile.inputs.items()},
            }
            for profile in job.profiles()
        ],
    }
