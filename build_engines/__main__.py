"""python -m build_engines export | build | parity | publish | all MODEL [--check] [--target onnx]

Example: python -m build_engines all text_embedding
For a GPU: python -m build_engines all text_signals --target tensorrt (docs/gpu.md)
"""

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from build_engines import publish as publishing
from build_engines import receipt
from build_engines.errors import BuildError, TargetError
from build_engines.gpu.asked import Asked, Wanted
from build_engines.gpu.hardware import Hardware
from build_engines.job import Job
from build_engines.kinds import job_of, steps_of
from build_engines.target import Target, require

Model = Annotated[str, typer.Argument(help="A file of build_engines/models, without .toml")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; fail where files differ")]
Build = Annotated[Path | None, typer.Option(help="Instead of build/engines")]
For = Annotated[Target, typer.Option("--target", help="What the step is for")]
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
    model: Model, check: Check = False, build: Build = None, target: For = Target.ONNX
) -> None:
    """Checkpoint to ONNX, or ONNX to TensorRT's graph. Example: export text_embedding"""
    if target is Target.TENSORRT:
        _engine("export", Asked(model, build), check)
        return
    job = job_of(model, build)
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
) -> None:
    """Compare with PyTorch, or a plan with its graph. Example: parity text_embedding"""
    if target is Target.TENSORRT:
        _engine("parity", Asked(model, build, container=container), check)
        return
    job = job_of(model, build)
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


@app.command("all")
def every(
    model: Model,
    check: Check = False,
    build: Build = None,
    repository: Repository = None,
    target: For = Target.ONNX,
    container: Container = "",
    hardware: Boards = Hardware.SAME,
    versions: Later = False,
    typed: Strong = False,
) -> None:
    """All steps; with --check, rebuild elsewhere and compare. Example: all text_embedding"""
    if target is Target.TENSORRT:
        wanted = Wanted(hardware, versions, typed)
        _engine("all", Asked(model, build, repository, container, wanted), check)
        return
    if not check:
        for step in steps_of(model):
            _run(step, job_of(model, build, repository))
        return
    publishing.verify(job_of(model, build, repository))
    with tempfile.TemporaryDirectory() as folder:
        rebuilt = job_of(model, Path(folder) / "build", Path(folder) / "models")
        for step in steps_of(model):
            _run(step, rebuilt)
        module = importlib.import_module(steps_of(model)["parity"])
        said = module.meets(rebuilt, job_of(model, build, repository).target / "goldens.json")
    print(f"{model}: a new build meets the committed goldens, {said}")


def _run(step: str, job: Job[Any]) -> None:
    # Loaded when it runs: two of them need torch, checking what is committed does not.
    print(importlib.import_module(steps_of(job.spec.name)[step]).run(job))


def _engine(step: str, asked: Asked, check: bool) -> None:
    if check and step in ("export", "parity"):
        receipt.require(step, asked.job())
        return
    if not check and step in ("build", "parity", "all"):
        require(Target.TENSORRT)
    if check:
        print(importlib.import_module("build_engines.gpu.publish").verified(asked))
    else:
        print(importlib.import_module("build_engines.gpu.steps").run(step, asked))


def main() -> None:
    try:
        app()
    except (BuildError, OSError) as error:  # a folder that may not be written, a disk that is full
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
