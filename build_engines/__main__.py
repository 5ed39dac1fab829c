"""python -m build_engines export | build | parity | publish | all MODEL [--check] [--target onnx]

Example: python -m build_engines all text_embedding
For a GPU: python -m build_engines all text_signals --target tensorrt (docs/gpu.md)
"""

import importlib
import re
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from build_engines import publish as publishing
from build_engines import receipt, tasks
from build_engines.errors import BuildError, SpecError, TargetError
from build_engines.gpu.asked import Asked, Wanted
from build_engines.gpu.hardware import Hardware
from build_engines.job import Job
from build_engines.kinds import job_of, steps_of
from build_engines.target import Target, require

Model = Annotated[str, typer.Argument(help="A file of build_engines/models, without .toml")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; fail where files differ")]
Build = Annotated[Path | None, typer.Option(help="Instead of build/engines")]
For = Annotated[Target, typer.Option("--target", help="What the step is for")]
Revision = Annotated[
    str | None,
    typer.Option(help="Commit of the hub's repository, 40 digits; for a spec that pins none"),
]
TaskName = Annotated[str, typer.Argument(metavar="TASK", help="One of the model's tasks")]
Folder = Annotated[Path, typer.Argument(help="What was published")]
Repository = Annotated[Path | None, typer.Option(help="Instead of model_repository")]

Container = Annotated[
    str,
    typer.Option(
        envvar="NVIDIA_TRITON_SERVER_VERSION", help="Tag of the Triton that loads the engine"
    ),
]
Boards = Annotated[Hardware, typer.Option("--hardware", help="GPUs that the engine runs on")]
Later = Annotated[bool, typer.Option("--version-compatible", help="Runs with later TensorRT too")]
Strong = Annotated[bool, typer.Option("--strongly-typed", help="TensorRT 10: as 11 builds")]

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)


@app.command()
def export(
    model: Model,
    check: Check = False,
    build: Build = None,
    target: For = Target.ONNX,
    revision: Revision = None,
) -> None:
    """Checkpoint to ONNX, or ONNX to TensorRT's graph. Example: export text_embedding"""
    at = commit(revision, target)
    if target is Target.TENSORRT:
        _engine("export", Asked(model, build), check)
        return
    job = job_of(model, build, revision=at)
    if check:
        receipt.require("export", job)
    else:
        _run("export", job)


@app.command("build")
def built(
    model: Model,
    build: Build = None,
    target: For = Target.TENSORRT,
    container: Container = "",
    hardware: Boards = Hardware.SAME,
    versions: Later = False,
    typed: Strong = False,
) -> None:
    """The exported graph to a TensorRT plan, on its GPU. Example: build text_signals"""
    if target is not Target.TENSORRT:
        raise TargetError("nothing to build: ONNX Runtime loads what export writes")
    wanted = Wanted(hardware, versions, typed)
    _engine("build", Asked(model, build, container=container, wanted=wanted), False)


@app.command()
def parity(
    model: Model,
    check: Check = False,
    build: Build = None,
    target: For = Target.ONNX,
    container: Container = "",
    revision: Revision = None,
) -> None:
    """Compare with PyTorch, or a plan with its graph. Example: parity text_embedding"""
    at = commit(revision, target)
    if target is Target.TENSORRT:
        _engine("parity", Asked(model, build, container=container), check)
        return
    job = job_of(model, build, revision=at)
    if check:
        receipt.require("parity", job)
    else:
        _run("parity", job)


@app.command()
def publish(
    model: Model,
    check: Check = False,
    build: Build = None,
    repository: Repository = None,
    target: For = Target.ONNX,
    container: Container = "",
) -> None:
    """Copy a checked build to where Triton loads it. Example: publish text_embedding --check"""
    if target is Target.TENSORRT:
        _engine("publish", Asked(model, build, repository, container), check)
        return
    job = job_of(model, build, repository)
    if check:
        publishing.verify(job)
    else:
        _run("publish", job)


@app.command()
def adopt(model: Model, task: TaskName, folder: Folder) -> None:
    """A classifier as the reference project publishes it, to what `export` reads.

    Example: adopt text_signals_mmbert jailbreak build/weights/mmbert32k-jailbreak-detector-lora
    """
    if task not in (known := tasks.read(model).tasks):
        raise SpecError(f"{model}: no task {task!r}; it has {', '.join(known)}")
    module = _module("build_engines.signals.adopt", "engines")
    target = tasks.adapters(model) / task
    labels = module.adopt(task, known[task].kind, folder, target)
    print(f"{model}: {task} with the labels {', '.join(labels)} in {target}")


@app.command("all")
def every(
    model: Model,
    check: Check = False,
    build: Build = None,
    repository: Repository = None,
    target: For = Target.ONNX,
    revision: Revision = None,
    container: Container = "",
    hardware: Boards = Hardware.SAME,
    versions: Later = False,
    typed: Strong = False,
) -> None:
    """All steps; with --check, rebuild elsewhere and compare. Example: all text_embedding"""
    at = commit(revision, target)
    if target is Target.TENSORRT:
        wanted = Wanted(hardware, versions, typed)
        _engine("all", Asked(model, build, repository, container, wanted), check)
        return
    if not check:
        for step in steps_of(model):
            _run(step, job_of(model, build, repository, at))
        return
    publishing.verify(job_of(model, build, repository))
    with tempfile.TemporaryDirectory() as folder:
        rebuilt = job_of(model, Path(folder) / "build", Path(folder) / "models", at)
        for step in steps_of(model):
            _run(step, rebuilt)
        module = _module(steps_of(model)["parity"], "engines")
        said = module.meets(rebuilt, job_of(model, build, repository).target / "goldens.json")
    print(f"{model}: a new build meets the committed goldens, {said}")


def commit(revision: str | None, target: Target = Target.ONNX) -> str | None:
    """Raises SpecError where it is a branch or a tag: these move; TargetError where nothing of
    the hub is read.
    """
    if revision is None:
        return None
    if target is Target.TENSORRT:
        raise TargetError(
            "--revision names a checkpoint, and an engine is built of a network that is published: "
            "give it to --target onnx"
        )
    if not re.fullmatch("[0-9a-f]{40}", revision):
        raise SpecError(f"--revision {revision}: give a commit, 40 hexadecimal digits")
    return revision


def _run(step: str, job: Job[Any]) -> None:
    # Loaded when it runs: two of them need torch, checking what is committed does not.
    print(_module(steps_of(job.spec.name)[step], "engines").run(job))


def _engine(step: str, asked: Asked, check: bool) -> None:
    if check and step in ("export", "parity"):
        receipt.require(step, asked.job())
        return
    if not check and step in ("build", "parity", "all"):
        require(Target.TENSORRT)
    if check:
        print(_module("build_engines.gpu.publish", "gpu").verified(asked))
    else:
        print(_module("build_engines.gpu.steps", "gpu").run(step, asked))


def _module(name: str, extra: str) -> Any:  # noqa: ANN401 - a step, known by its name
    """Raises TargetError where a package is missing that the extra brings."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("build_engines"):
            raise
        raise TargetError(
            f"the package {error.name} is not installed: pip install '.[{extra}]'"
        ) from error


def main() -> None:
    try:
        app()
    except (BuildError, OSError) as error:  # a folder that may not be written, a disk that is full
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
