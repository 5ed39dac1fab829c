"""Files that Triton, or the Python of a model, reads: whether they are there."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from orchestrator.inference.inspecting import code
from orchestrator.inference.inspecting.models import ENGINES, Model, parameters
from orchestrator.inference.inspecting.problem import Problem, rendered, restored

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
        if model.kind in ENGINES and not _versions_with(repository / name, model.file or "")
    ]


def _version(repository: Path, model: Model, unbuilt: bool) -> Iterator[Problem]:
    folder = repository / model.name
    versions = [one for one in folder.glob("[0-9]*") if one.is_dir()]
    if not versions:
        yield Problem(
            file=f"{model.name}/1",
            wrong="missing: Triton wants the folder of a version",
            right="a folder called by a number",
            command=_again(repository, model),
        )
    elif not unbuilt and model.file and not _versions_with(folder, model.file):
        yield Problem(
            file=f"{model.name}/{versions[-1].name}/{model.file}",
            wrong=f"missing: it is what {model.kind} loads",
            right="the file of a finished build",
            command=_again(repository, model),
        )


def _versions_with(folder: Path, file: str) -> list[Path]:
    return [one.parent for one in folder.glob(f"[0-9]*/{file}") if one.is_file()]


def _again(repository: Path, model: Model) -> str:
    """The command that makes what a version holds."""
    spec = model.name.removesuffix("_encoder") if model.name != "vision_encoder" else model.name
    if model.kind in ENGINES:
        return f"python -m build_engines all {spec} --target tensorrt"
    if model.kind.startswith("onnxruntime") and model.name != "vision_encoder":
        return f"python -m build_engines.fleet.network {spec} {repository}"
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
            if file and not (repository / model.name / "warmup" / file).is_file():
                yield Problem(
                    file=f"{model.name}/warmup/{file}",
                    wrong=f'missing: the warm-up "{sample.name}" takes its {name} from there',
                    right="the file that is rendered with the config",
                    command=rendered(repository, model.name),
                )


def _links(repository: Path, model: str) -> Iterator[Problem]:
    for path in sorted((repository / model).rglob("*")):
        if path.is_symlink() and not path.exists():
            yield Problem(
                file=str(path.relative_to(repository)),
                wrong=f"a link to {path.readlink()}, where there is nothing",
                right=TOGETHER,
                command=restored(repository, str(path.relative_to(repository))),
            )
