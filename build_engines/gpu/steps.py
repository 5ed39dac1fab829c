"""The steps of an engine, as the command line asks for them.

Only `export` runs without a GPU. The others look for one first, so that nothing is half done.
"""

from __future__ import annotations

from build_engines.gpu import build, export, parity, publish
from build_engines.gpu.asked import Asked
from build_engines.gpu.here import Here, here
from build_engines.gpu.job import EngineJob
from build_engines.target import Target, require

STEPS = ("export", "build", "parity", "publish")


def run(step: str, asked: Asked) -> str:
    """One of STEPS, or all of them. Returns lines for people."""
    job = asked.job()
    if step == "export":
        return export.run(job)
    if step == "publish":
        return publish.run(job)
    require(Target.TENSORRT)
    place = here(asked.container)
    if step == "all":
        return "\n".join(_step(one, job, place, asked) for one in STEPS)
    return _step(step, job, place, asked)


def _step(step: str, job: EngineJob, place: Here, asked: Asked) -> str:
    if step == "build":
        return build.run(job, place, asked.wanted)
    if step == "parity":
        return parity.run(job, place)
    return export.run(job) if step == "export" else publish.run(job)
