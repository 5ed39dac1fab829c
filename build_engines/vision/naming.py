"""What is wrong with a build, in the words of `isolation`: the served code and the exported network
against the reference, in this process.
"""

from __future__ import annotations

from pathlib import Path

from build_engines.vision import faults, served
from build_engines.vision.isolation import Side, diagnose, isolate
from build_engines.vision.job import VisionJob


def named(job: VisionJob, folder: Path) -> str:
    """Each part that is off on the golden pictures, and the fault that explains it; empty where no
    part is. `folder`: the checkpoint's.
    """
    files = {path.name: path.read_bytes() for path in job.shown()}
    ours, code = served.preprocessor(job)
    reference = faults.reference_of(job, folder, code)
    found = isolate(files, reference, Side(ours, served.encoder(job).encode))
    findings = diagnose(found, files, reference, job.spec.tolerance.export)
    return "; ".join(finding.sentence() for finding in findings)
