"""One model's build: its spec and its folders."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from build_engines import spec as specs
from build_engines.spec import Spec

ROOT = Path(__file__).parent.parent
TEXTS = Path(__file__).parent / "golden_texts.json"


@dataclass(frozen=True, slots=True)
class Job:
    spec: Spec
    root: Path  # paths in receipts are relative to it
    build: Path  # what the steps write, out of git
    code: Path  # the folder of the Python that Triton runs
    target: Path  # the published model
    texts: Path = TEXTS

    def command(self, step: str) -> str:
        return f"python -m build_engines {step} {self.spec.name}"

    def hashes(self, paths: Iterable[Path]) -> dict[str, str]:
        """Path -> sha256, for a receipt."""
        return {os.path.relpath(path, self.root): sha256(path) for path in sorted(paths)}


def job_of(model: str, build: Path | None = None, repository: Path | None = None) -> Job:
    """The build of models/<model>.toml. Raises SpecError."""
    spec = specs.read(specs.path_of(model))
    committed = ROOT / "model_repository"
    return Job(
        spec=spec,
        root=ROOT,
        build=(build or ROOT / "build" / "engines") / spec.name,
        code=committed / spec.name / "1",
        target=(repository or committed) / spec.name,
    )


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
