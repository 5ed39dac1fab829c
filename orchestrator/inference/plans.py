"""Whether an engine in a model repository can run where it is to be loaded.

A TensorRT plan belongs to one version of TensorRT and one kind of GPU; `engine.json` beside it says
which (build_engines/gpu). TensorRT refuses another's plan as well, but as a number in a log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

RECORD = "engine.json"
# Compute capability from which an engine that is built for Ampere and later runs.
AMPERE = (8, 0)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a plan was built, or where it is to run. What is not known is empty, and not judged."""

    gpu: str = ""  # "NVIDIA H200"
    capability: str = ""  # "9.0"
    driver: str = ""
    tensorrt: str = ""  # "10.13.3.9"
    container: str = ""  # the tag of Triton's image, "25.12"
    server: str = ""  # Triton's version, "2.63.0"


@dataclass(frozen=True, slots=True)
class Engine:
    """What `engine.json` says. `hardware`: same, capability or ampere."""

    path: Path
    command: str  # builds it again
    hardware: str
    versions: bool  # runs with later versions of TensorRT too
    built: Place


def engines(repository: Path) -> Iterator[Engine]:
    """Every engine that a repository holds, by name. Raises ValueError where a record is broken."""
    for path in sorted(repository.glob(f"*/{RECORD}")):
        yield read(path)


def read(path: Path) -> Engine:
    """Raises ValueError that names the file and what is missing."""
    try:
        return stated(json.loads(path.read_text(encoding="utf-8")), path)
    except (json.JSONDecodeError, KeyError, AttributeError, TypeError) as error:
        raise ValueError(f"{path}: not a record of an engine: {error!r}") from error


def stated(record: dict[str, Any], path: Path) -> Engine:
    """Of what stands, or is to stand, in `path`. Raises KeyError, AttributeError or TypeError."""
    known = {one.name for one in fields(Place)}
    return Engine(
        path=path,
        command=str(record["command"]),
        hardware=str(record["hardware"]),
        versions=bool(record["versions"]),
        built=Place(**{k: str(v) for k, v in record["built"].items() if k in known}),
    )


def refusal(engine: Engine, here: Place) -> str | None:
    """Why the engine cannot run `here`, and the command that builds one that can; None: it can."""
    wrong = [
        said
        for said in (_version(engine, here), _server(engine, here), _hardware(engine, here))
        if said
    ]
    if not wrong:
        return None
    return f"{engine.path.parent.name}: {'; '.join(wrong)}; run there: {engine.command}"


def _version(engine: Engine, here: Place) -> str:
    built = engine.built.tensorrt
    if not built or not here.tensorrt:
        return ""
    old, new = _numbers(built), _numbers(here.tensorrt)
    if engine.versions and old[0] == new[0] and old <= new:
        return ""
    # The fourth number is a build of the same release.
    if old[:3] == new[:3]:
        return ""
    return f"it was built by TensorRT {built}, here is {here.tensorrt}"


def _server(engine: Engine, here: Place) -> str:
    """Where TensorRT's own version is not known, the server's stands for it."""
    built = engine.built.server
    if here.tensorrt or engine.versions or not built or not here.server or built == here.server:
        return ""
    return f"it was built in Triton {built}, here is {here.server}"


def _hardware(engine: Engine, here: Place) -> str:
    built = engine.built
    if engine.hardware == "ampere":
        if here.capability and _numbers(here.capability) < AMPERE:
            return f"it needs compute capability 8.0, here is {here.capability}"
        return ""
    if built.capability and here.capability and built.capability != here.capability:
        return (
            f"it was built for compute capability {built.capability} ({built.gpu}), "
            f"here is {here.capability} ({here.gpu})"
        )
    if engine.hardware == "same" and built.gpu and here.gpu and built.gpu != here.gpu:
        return f"it was built for {built.gpu}, here is {here.gpu}"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
