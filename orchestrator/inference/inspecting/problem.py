"""One fault of a repository, and what mends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from orchestrator.inference.repository import default_repository

RENDERED = "Rendered by `python -m build_engines publish "


@dataclass(frozen=True, slots=True)
class Problem:
    """`file` is below the repository, with the line where it is known; `right` is what would be.
    `command` mends it, from the checkout; empty where none is known."""

    file: str
    wrong: str
    right: str
    command: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        run = f"; run: {self.command}" if self.command else ""
        return f"{place}: {self.wrong}; right: {self.right}{run}"


def restored(repository: Path, file: str) -> str:
    """The command that brings back a published file; nothing of a model that is not published."""
    if any(
        (one / ".git").exists() for one in (repository.resolve(), *repository.resolve().parents)
    ):
        return f"git -C {quote(str(repository))} checkout -- {quote(file)}"
    published = default_repository()
    if repository.resolve() == published.resolve():
        return "pip install --force-reinstall --no-deps triton-semantic-router"
    if not (published / file).exists():
        return ""
    return f"cp -rL {quote(str(published / file))} {quote(str(repository / file))}"


def built(repository: Path, command: str) -> str:
    """`command` of a build, into this repository."""
    return f"{command} --repository {quote(str(repository))}"


def rendered(repository: Path, model: str) -> str:
    """The command that writes the model's config files again, as the first line of one says; what
    says nothing is written by hand."""
    for path in _configs(repository / model):
        try:
            head = path.read_text(encoding="utf-8").partition("\n")[0]
        except (OSError, UnicodeDecodeError):
            continue
        if RENDERED in head:
            spec = head.partition(RENDERED)[2].partition("`")[0]
            return built(repository, f"python -m build_engines.fleet {spec}")
    return restored(repository, f"{model}/config.pbtxt")


def _configs(folder: Path) -> Iterator[Path]:
    yield folder / "config.pbtxt"
    yield from sorted((folder / "configs").glob("*.pbtxt"))
