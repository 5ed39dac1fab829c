"""A plan that was compared into the repository, and proof that what is there is that."""

from __future__ import annotations

import shutil

from build_engines import receipt
from build_engines.errors import DriftError
from build_engines.gpu.asked import Asked
from build_engines.gpu.cuda import driver
from build_engines.gpu.here import here
from build_engines.gpu.job import PLAN, RECORD, EngineJob
from build_engines.job import sha256
from build_engines.target import Target, require
from orchestrator.inference import plans
from orchestrator.inference.plans import Place


def run(job: EngineJob) -> str:
    """The step: plan and record. The config of the engine is rendered with its ensemble's."""
    for step in ("export", "build", "parity"):
        receipt.require(step, job)
    (job.target / "1").mkdir(parents=True, exist_ok=True)
    for name, place in (job.spec.published() | {RECORD: RECORD}).items():
        shutil.copyfile(job.build / name, job.target / place)
    return f"{job.spec.name}: engine published to {job.target}"


def verify(job: EngineJob, place: Place | None = None) -> None:
    """Raises DriftError that names all that is not as the spec, the record and `place` have it.

    Without `place` the version and the GPU are not judged: any machine can check the rest.
    """
    path, again = job.target / RECORD, f"run: {job.command('all')}"
    if not path.is_file():
        raise DriftError(f"{job.target}: no {RECORD}; {again}")
    try:
        engine = plans.read(path)
    except ValueError as error:
        raise DriftError(f"{error}; {again}") from error
    plan = job.target / "1" / PLAN
    wrong = []
    if not plan.is_file():
        wrong.append(f"1/{PLAN} is missing")
    elif sha256(plan) != engine.plan:
        wrong.append(f"1/{PLAN} is not the one that was compared")
    if engine.spec != job.spec.digest():
        wrong.append("the spec has changed since")
    for file in job.networks():
        name = str(file.relative_to(job.source.target.parent))
        if not file.is_file() or sha256(file) != engine.networks.get(name):
            wrong.append(f"{name} has changed since")
    if wrong:
        raise DriftError(f"{job.target}: {'; '.join(wrong)}; {again}")
    refused = plans.refusal(engine, place or Place())
    if refused:
        raise DriftError(refused)


def verified(asked: Asked) -> str:
    """As `verify`; the version and the GPU where there is a driver. Returns a line for people."""
    job = asked.job()
    if driver() is None:
        verify(job)
        return f"{job.spec.name}: the engine is the one that was compared; no GPU here to judge it"
    require(Target.TENSORRT)
    place = here(asked.container).place
    verify(job, place)
    return f"{job.spec.name}: the engine is the one that was compared, and fits {place.gpu}"
