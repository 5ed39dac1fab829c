"""A plan, run by TensorRT on this machine's GPU, against the float32 graph on its CPU."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx

from build_engines import receipt
from build_engines.errors import StaleError
from build_engines.gpu.agreement import Run, compare
from build_engines.gpu.export import answers, batches, said
from build_engines.gpu.here import Here
from build_engines.gpu.job import PLAN, RECORD, WIDE, EngineJob
from build_engines.gpu.profiles import Profile
from build_engines.gpu.rounding import opened
from build_engines.gpu.running import Plan
from build_engines.job import sha256
from build_engines.receipt import Receipt
from orchestrator.inference import plans

Opened = Callable[[bytes, Sequence[Profile], Here], Run]


def on_gpu(plan: bytes, profiles: Sequence[Profile], here: Here) -> Run:
    return Plan(here.trt, plan, profiles, here.gpu)


def run(job: EngineJob, here: Here, open_plan: Opened = on_gpu) -> str:
    """The step: labels, cosines and probabilities of both, and the record that is published.

    Raises ParityError where they differ by more than is expected, StaleError for a plan that was
    built elsewhere.
    """
    built = receipt.require("build", job)
    document = record(job, built)
    refused = plans.refusal(plans.stated(document, job.target / RECORD), here.place)
    if refused:
        raise StaleError(refused)
    wide = onnx.load(job.build / WIDE)
    plan = open_plan((job.build / PLAN).read_bytes(), job.profiles(), here)
    asked = batches(job, job.spec.gpu.batch)
    found = compare(answers(opened(wide)), plan, asked, job.tasks())
    found.demand(f"{job.spec.name} on {here.place.gpu}")
    document["against_fp32_on_cpu"] = found.figures()
    text = json.dumps(document, indent=2) + "\n"
    (job.build / RECORD).write_text(text, encoding="utf-8")
    receipt.write(
        Receipt(
            step="parity",
            command=job.command("parity"),
            spec=job.spec.digest(),
            inputs=built.outputs | job.hashes([job.build / WIDE]),
            outputs=job.hashes([job.build / RECORD]),
            figures=found.figures(),
            versions=built.versions,
        ),
        job,
    )
    return f"{job.spec.name} on {here.place.gpu}: {said(found)}"


def record(job: EngineJob, built: Receipt) -> dict[str, Any]:
    """What stands beside a published plan (orchestrator/inference/plans.py)."""
    figures: Mapping[str, Any] = built.figures
    told = ("built", "hardware", "versions", "precision", "strongly_typed", "profiles")
    options = built.command.partition("--target tensorrt")[2]
    return {
        "model": job.spec.name,
        "command": job.command("all") + options,
        "spec": job.spec.digest(),
        "plan": sha256(job.build / PLAN),
        "networks": {
            str(path.relative_to(job.source.target.parent)): sha256(path) for path in job.networks()
        },
        **{name: figures[name] for name in told},
    }
