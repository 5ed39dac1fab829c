"""What a step read and wrote, so that the next one can refuse anything else."""

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from build_engines.errors import StaleError

PACKAGES = ("numpy", "onnx", "onnxruntime", "onnxscript", "tokenizers", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Receipt:
    """One run of one step. Paths are relative to the repository's root or to the build folder."""

    step: str
    command: str  # runs the step again
    inputs: dict[str, str]  # path -> sha256
    outputs: dict[str, str]  # path -> sha256
    figures: dict[str, Any] = field(default_factory=dict)  # tolerances, measurements, the source
    versions: dict[str, str] = field(default_factory=dict)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hashes(paths: Iterable[Path], base: Path) -> dict[str, str]:
    return {path.relative_to(base).as_posix(): sha256(path) for path in sorted(paths)}


def versions() -> dict[str, str]:
    """Of Python and of the packages that decide what the files contain."""
    return {"python": platform.python_version()} | {
        name: metadata.version(name) for name in PACKAGES
    }


def write(receipt: Receipt, build: Path) -> None:
    path = build / f"{receipt.step}.json"
    path.write_text(json.dumps(asdict(receipt), indent=2) + "\n", encoding="utf-8")


def require(step: str, build: Path, root: Path, command: str) -> Receipt:
    """The receipt of `step`, whose files are all as it left them.

    Raises StaleError that names what is missing or has changed, and the command to run.
    """
    path = build / f"{step}.json"
    if not path.is_file():
        raise StaleError(f"{step} has not run; run: {command}")
    receipt = Receipt(**json.loads(path.read_text(encoding="utf-8")))
    for base, files in ((root, receipt.inputs), (build, receipt.outputs)):
        for name, expected in files.items():
            file = base / name
            if not file.is_file():
                raise StaleError(f"{file} is gone since {step}; run: {receipt.command}")
            if sha256(file) != expected:
                raise StaleError(f"{file} has changed since {step}; run: {receipt.command}")
    return receipt
