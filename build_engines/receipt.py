"""What a step read and wrote, so that the next one can refuse anything else."""

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from build_engines.errors import StaleError
from build_engines.job import Job, sha256

PACKAGES = ("numpy", "onnx", "onnxruntime", "onnxscript", "tokenizers", "torch", "transformers")


@dataclass(frozen=True, slots=True)
class Receipt:
    """One run of one step. Paths are relative to the repository's root."""

    step: str
    command: str  # runs the step again
    spec: str  # digest of what the spec says
    inputs: dict[str, str]  # path -> sha256
    outputs: dict[str, str]  # path -> sha256
    figures: dict[str, Any]  # source of the weights, tolerances, measurements
    versions: dict[str, str]


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Of Python and of the packages that decide what the files contain."""
    return {"python": platform.python_version()} | {
        name: metadata.version(name) for name in packages
    }


def write(receipt: Receipt, job: Job[Any]) -> None:
    path = job.build / f"{receipt.step}.json"
    path.write_text(json.dumps(asdict(receipt), indent=2) + "\n", encoding="utf-8")


def _read(path: Path, again: str) -> Receipt:
    """Raises StaleError where a build that was stopped, or a hand, left something else."""
    try:
        return TypeAdapter(Receipt).validate_json(path.read_bytes())
    except ValidationError as error:
        said = error.errors(include_url=False)[0]["msg"]
    except OSError as error:
        said = str(error)
    raise StaleError(f"{path} is no receipt ({said}); {again}")


def require(step: str, job: Job[Any]) -> Receipt:
    """The receipt of `step`, when the spec and all files are as they were then.

    Raises StaleError that names what is missing or has changed, and the command to run.
    """
    path = job.build / f"{step}.json"
    again = f"run: {job.command(step)}"
    if not path.is_file():
        raise StaleError(f"{job.spec.name}: {step} has not run; {again}")
    receipt = _read(path, again)
    if receipt.spec != job.spec.digest():
        raise StaleError(f"{job.spec.name}: the spec has changed since {step}; {again}")
    for name, expected in (receipt.inputs | receipt.outputs).items():
        file = job.root / name
        if not file.is_file():
            raise StaleError(f"{job.spec.name}: {name} is gone since {step}; {again}")
        if sha256(file) != expected:
            raise StaleError(f"{job.spec.name}: {name} has changed since {step}; {again}")
    return receipt
