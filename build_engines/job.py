"""One model's build: its spec and its folders."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

ROOT = Path(__file__).parent.parent
TEXTS = Path(__file__).parent / "golden_texts.json"


class Described(Protocol):
    """What every kind of spec says."""

    @property
    def name(self) -> str: ...

    def digest(self) -> str:
        """Of all that decides what is built."""
        ...

    def published(self) -> dict[str, str]:
        """Name in the build -> name in the model's folder."""
        ...

    def config(self) -> str:
        """The config.pbtxt."""
        ...


D = TypeVar("D", bound=Described)


@dataclass(frozen=True, slots=True)
class Job(Generic[D]):
    spec: D
    root: Path  # paths in receipts are relative to it
    build: Path  # what the steps write, out of git
    code: Path  # the folder of the Python that Triton runs
    target: Path  # the published model
    texts: Path = TEXTS
    revision: str | None = None  # of the hub, where the spec pins none
    brings_code: bool = False  # `code` is copied into `target`, which has no code of its own

    def command(self, step: str) -> str:
        return f"python -m build_engines {step} {self.spec.name}"

    def beside(self) -> dict[str, object]:
        """What the published receipt says beyond files and steps."""
        return {}

    def shared(self) -> dict[str, Path]:
        """Files of another model that the served code needs: name here -> path."""
        return {}

    def hashes(self, paths: Iterable[Path]) -> dict[str, str]:
        """Path -> sha256, for a receipt."""
        return {os.path.relpath(path, self.root): sha256(path) for path in sorted(paths)}


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
