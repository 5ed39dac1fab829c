"""Whether an engine in a model repository can run where it is to be loaded.

A TensorRT plan belongs to one version of TensorRT and one kind of GPU; `engine.json` beside it says
which (build_engines/gpu). TensorRT refuses another's plan as well, but as a number in a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, Field, StrictBool, StringConstraints, ValidationError

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


# The model of GPU it was built on, its generation, or Ampere and later.
Hardware = Literal["same", "capability", "ampere"]


@dataclass(frozen=True, slots=True)
class Engine:
    """What `engine.json` says."""

    path: Path
    command: str  # builds it again
    hardware: Hardware
    versions: bool  # runs with later versions of TensorRT too
    built: Place
    plan: str  # SHA-256
    networks: Mapping[str, str]  # path from the repository -> SHA-256, of what it is made of
    spec: str = ""  # digest of what the spec of the model said


class _Built(BaseModel):
    """What must be known of a place, or any would do."""

    tensorrt: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})+$")]
    capability: Annotated[str, StringConstraints(pattern=r"^([0-9]{1,9}\.[0-9]{1,9})?$")] = ""


class _Record(BaseModel):
    command: str
    hardware: Hardware
    versions: StrictBool
    built: dict[str, Any]
    plan: str
    networks: Annotated[dict[str, str], Field(min_length=1)]
    spec: str = ""


def engines(repository: Path) -> Iterator[Engine]:
    """Every engine that a repository holds, by name. Raises ValueError where a record is broken."""
    for path in sorted(repository.glob(f"*/{RECORD}")):
        yield read(path)


def read(path: Path) -> Engine:
    """Raises ValueError that names the file and what is missing."""
    try:
        return stated(orjson.loads(path.read_bytes()), path)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        said = f"{place}: {first['msg']}" if place else first["msg"]
    except (OSError, orjson.JSONDecodeError) as error:
        said = str(error)
    raise ValueError(f"{path}: not a record of an engine: {said}")


def stated(record: object, path: Path) -> Engine:
    """Of what stands, or is to stand, in `path`. Raises ValidationError."""
    found = _Record.model_validate(record)
    _Built.model_validate(found.built)
    known = {one.name for one in fields(Place)}
    return Engine(
        path=path,
        command=found.command,
        hardware=found.hardware,
        versions=found.versions,
        built=Place(**{name: str(one) for name, one in found.built.items() if name in known}),
        plan=found.plan,
        networks=found.networks,
        spec=found.spec,
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
    if engine.versions and old[:1] == new[:1] and old <= new:
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
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
