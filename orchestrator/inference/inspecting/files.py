"""Files that Triton, or the Python of a model, reads: whether they are there."""

from __future__ import annotations

import math
import os.path
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from shlex import quote

import numpy as np
from tritonclient.grpc import model_config_pb2 as pb
from tritonclient.utils import triton_to_np_dtype

from orchestrator.inference.inspecting import code
from orchestrator.inference.inspecting.models import ENGINES, Model, parameters, versions
from orchestrator.inference.inspecting.problem import Problem, built, rendered, restored

TOGETHER = "copy the models together, or with their links followed: cp -rL"


def problems(
    repository: Path, models: Mapping[str, Model], idle: Container[str], unbuilt: Container[str]
) -> Iterator[Problem]:
    """`idle`: models that the form does not load, of which only dead links are told; `unbuilt`:
    those whose version may lack what is built where it is served."""
    loaded = [model for name, model in models.items() if name not in idle]
    for model in loaded:
        yield from _version(repository, model, model.name in unbuilt)
        yield from _read(repository, model)
        yield from _warm(repository, model)
        if model.kind == "python":
            yield from code.problems(repository, model.name)
    for name in models:
        yield from _links(repository, name)


def engines_absent(repository: Path, models: Mapping[str, Model]) -> list[str]:
    """Models whose engine is not built; anybody who serves on CPUs has none."""
    return [
        name
        for name, model in models.items()
        if model.kind in ENGINES and not any(map(model.loads, versions(repository / name)))
    ]


def _version(repository: Path, model: Model, unbuilt: bool) -> Iterator[Problem]:
    chosen = model.chosen(versions(repository / model.name))
    if not chosen:
        yield Problem(
            file=f"{model.name}/1",
            wrong="missing: Triton wants the folder of a version",
            right="a folder called by a number",
            command=_again(repository, model),
        )
    for version in () if unbuilt else chosen:
        if not model.loads(version):
            yield Problem(
                file=f"{model.name}/{version.name}/{model.file}",
                wrong=f"missing: it is what {model.kind} loads",
                right="the file of a finished build",
                command=_again(repository, model),
            )


def _again(repository: Path, model: Model) -> str:
    """The command that makes what a version holds."""
    spec = model.name.removesuffix("_encoder") if model.name != "vision_encoder" else model.name
    if model.kind in ENGINES:
        return built(repository, f"python -m build_engines all {spec} --target tensorrt")
    if model.kind.startswith("onnxruntime") and model.name != "vision_encoder":
        return f"python -m build_engines.fleet.network {spec} {quote(str(repository))}"
    return restored(repository, f"{model.name}/1")


def _read(repository: Path, model: Model) -> Iterator[Problem]:
    """What the Python of a text model opens beside its version."""
    wanted = []
    if model.kind == "python" and "window" in parameters(model):
        wanted.append("tokenizer.json")
    if model.kind == "python" and any(one.name == "TASKS" for one in model.config.input):
        wanted.append("labels.json")
    for name in wanted:
        path = repository / model.name / name
        if not path.exists() and not path.is_symlink():
            yield Problem(
                file=f"{model.name}/{name}",
                wrong="missing: its model.py reads it",
                right="the file of the published model, or a link to it",
                command=restored(repository, f"{model.name}/{name}"),
            )


def _warm(repository: Path, model: Model) -> Iterator[Problem]:
    for sample in model.config.model_warmup:
        for name, given in sorted(sample.inputs.items()):
            file = given.input_data_file
            if file and (wrong := _cold(repository / model.name / "warmup" / file, given)):
                yield Problem(
                    file=f"{model.name}/warmup/{file}",
                    wrong=f'{wrong}: the warm-up "{sample.name}" takes its {name} from there',
                    right="the file that is rendered with the config",
                    command=rendered(repository, model.name),
                )


def _cold(path: Path, given: pb.ModelWarmup.Input) -> str:
    """What is wrong with the file of one row, which Triton reads no further than it needs."""
    if not os.path.isfile(path):
        return "missing"
    wanted, has = row_bytes(given), path.stat().st_size
    return f"{has} bytes of {wanted}" if has < wanted else ""


def row_bytes(given: pb.ModelWarmup.Input) -> int:
    """0 of strings, which say their own lengths."""
    if given.data_type == pb.TYPE_STRING or given.data_type not in pb.DataType.values():
        return 0
    kind = triton_to_np_dtype(pb.DataType.Name(given.data_type).removeprefix("TYPE_"))
    return 0 if kind is None else math.prod(given.dims) * np.dtype(kind).itemsize


def _links(repository: Path, model: str) -> Iterator[Problem]:
    for path in sorted((repository / model).rglob("*")):
        if path.is_symlink() and not path.exists():
            yield Problem(
                file=str(path.relative_to(repository)),
                wrong=f"a link to {path.readlink()}, where there is nothing",
                right=TOGETHER,
                command=restored(repository, str(path.relative_to(repository))),
            )
