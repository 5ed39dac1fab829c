"""`receipt.json` and `engine.json`: whether the files are those that were built and compared."""

from __future__ import annotations

import hashlib
import os.path
from collections.abc import Iterator
from pathlib import Path

import orjson
from pydantic import BaseModel, ValidationError

from orchestrator.inference.inspecting.models import folders
from orchestrator.inference.inspecting.problem import Problem, built, restored
from orchestrator.inference.plans import RECORD, Place, read, refusal
from orchestrator.inference.repository import NETWORK

PLAN = "1/model.plan"


class _Trunk(BaseModel):
    model: str
    sha256: str


class _Receipt(BaseModel):
    command: str
    published: dict[str, str]  # path from the model's folder -> SHA-256
    trunk: _Trunk | None = None


def problems(repository: Path, place: Place) -> Iterator[Problem]:
    """`place`: where the engines are to run; what is not known of it is not judged."""
    for folder in folders(repository):
        if (folder / "receipt.json").exists():
            yield from _receipt(repository, folder)
        if (folder / RECORD).exists() or (folder / PLAN).exists():
            yield from _engine(repository, folder, place)


def _receipt(repository: Path, folder: Path) -> Iterator[Problem]:
    file = f"{folder.name}/receipt.json"
    try:
        receipt = _Receipt.model_validate(orjson.loads((folder / "receipt.json").read_bytes()))
    except (OSError, orjson.JSONDecodeError, ValidationError) as error:
        yield _unreadable(repository, file, error)
        return
    command = built(repository, receipt.command)
    for name, digest in sorted(receipt.published.items()):
        path = folder / name
        shown = f"{folder.name}/{name}" if path.parts.count("..") == 0 else _short(folder, name)
        yield from _same(path, shown, digest, file, command)
    trunk = receipt.trunk.sha256 if receipt.trunk else ""
    for path in sorted(folder.glob("1/*.onnx")):
        name = f"1/{path.name}"
        # Of the trunk a copy, or a link.
        if path.exists() and name not in receipt.published and _sha256(path) != trunk:
            wrong = f"a network that {file} does not list"
            right = "what the build wrote, and no more"
            yield Problem(f"{folder.name}/{name}", wrong, right, command)
    if receipt.trunk is not None:
        model, digest = receipt.trunk.model, receipt.trunk.sha256
        if _sha256(repository / model / NETWORK) != digest:
            yield Problem(
                file=f"{model}/{NETWORK}",
                wrong=f"not the network that the branches of {folder.name} were made for",
                right=f"sha256 {digest[:12]}… by {file}",
                command=command,
            )


def _engine(repository: Path, folder: Path, place: Place) -> Iterator[Problem]:
    file = f"{folder.name}/{RECORD}"
    again = built(repository, f"python -m build_engines all {_spec(folder)} --target tensorrt")
    if not (folder / RECORD).exists():
        yield Problem(file, "missing: nobody knows whose plan it is", "a record beside it", again)
        return
    try:
        engine = read(folder / RECORD)
    except ValueError as error:
        yield _unreadable(repository, file, error, again)
        return
    command = built(repository, engine.command)
    yield from _same(folder / PLAN, f"{folder.name}/{PLAN}", engine.plan, file, command)
    for name, digest in sorted(engine.networks.items()):
        if _sha256(repository / name) != digest:
            yield Problem(
                file=f"{folder.name}/{PLAN}",
                wrong=f"built from another {name} than is here",
                right=f"an engine of this one, or sha256 {digest[:12]}… by {file}",
                command=command,
            )
    if refused := refusal(engine, place):
        why = refused.partition(": ")[2].partition("; run there:")[0]
        yield Problem(
            file=f"{folder.name}/{PLAN}",
            wrong=why,
            right="an engine built where it is served",
            command=command,
        )


def _same(path: Path, shown: str, digest: str, file: str, command: str) -> Iterator[Problem]:
    right = f"sha256 {digest[:12]}… by {file}"
    found = _sha256(path)
    if found is None:
        why = "cannot be read" if os.path.isfile(path) else "missing"
        yield Problem(shown, f"{why}: {file} lists it", right, command)
    elif found != digest:
        wrong = f"not the published file (sha256 {found[:12]}…): the receipt is stale, or it is"
        yield Problem(shown, wrong, right, command)


def _unreadable(
    repository: Path, file: str, error: Exception, command: str | None = None
) -> Problem:
    return Problem(
        file=file,
        wrong=f"cannot be read: {' '.join(str(error).split())}",
        right="what the build wrote",
        command=command or restored(repository, file),
    )


def _spec(folder: Path) -> str:
    return folder.name if folder.name == "vision_encoder" else folder.name.removesuffix("_encoder")


def _short(folder: Path, name: str) -> str:
    """`../image_signals/goldens.json` of `vision_encoder`, from the repository."""
    return name.removeprefix("../") if name.startswith("../") else f"{folder.name}/{name}"


def _sha256(path: Path) -> str | None:
    """None where there is no such file, or it cannot be read: a receipt may name anything."""
    if not os.path.isfile(path):  # unlike Path's, it takes every name
        return None
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
