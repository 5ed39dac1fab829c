"""Look after a model repository."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.app.policies import discover_extensions
from orchestrator.inference.inspecting.inspect import Report, Wanted, inspect
from orchestrator.inference.plans import Place
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.signals import SIGNALS

NAME = "repository"
application = typer.Typer(help=__doc__, no_args_is_help=True)


@application.callback()
def _verbs() -> None:
    pass


def _expected() -> dict[str, frozenset[str]]:
    """Task -> the labels that signals ask for."""
    discover_extensions()
    families = (SIGNALS[name] for name in SIGNALS.names())
    return {task: frozenset(own) for family in families for task, own in family.tasks.items()}


def show(report: Report, folder: Path) -> None:
    console = Console()
    for one in report.problems:
        said = f"[red]error[/red]: {escape(str(one))}"
        console.print(said, highlight=False, soft_wrap=True)
    if report.unbuilt and list(report.forms) != ["gpu"]:  # where that is asked, they are errors
        said = f"no engine is built of {', '.join(report.unbuilt)}: only form gpu needs it"
        console.print(said, style="dim", highlight=False, soft_wrap=True)
    forms, count = ", ".join(report.forms), len(report.problems)
    told = "no problem" if not count else f"{count} problem{'s' if count > 1 else ''}"
    console.print(
        f"{escape(str(folder))}: {report.models} models, forms {forms}: {told}",
        highlight=False,
        soft_wrap=True,
    )


@application.command("check")
def check(
    folder: Annotated[
        Path | None, typer.Argument(help="Default: the repository that tsr serve uses.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            help="As Triton's --model-config-name, or gpu for config.pbtxt. Default: all forms, "
            "and engines may be unbuilt."
        ),
    ] = None,
    gpu: Annotated[
        str, typer.Option(help="The GPU that engines are to run on, as NVIDIA H200.")
    ] = "",
    capability: Annotated[str, typer.Option(help="Its compute capability, as 9.0.")] = "",
    tensorrt: Annotated[str, typer.Option(help="The TensorRT there, as 10.13.3.9.")] = "",
    server: Annotated[str, typer.Option(help="The Triton there, as 2.63.0.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is wrong with a model repository, and the command that mends it.

    Example: [bold]tsr repository check --form gpu --gpu "NVIDIA H200" --tensorrt 10.13.3.9[/bold]

    Nothing is started: configs are parsed, tensors compared from step to step, files with their
    receipts, labels with what the router's signals ask for. Exit status 1 if anything is wrong.
    """
    repository = folder or default_repository()
    place = Place(gpu=gpu, capability=capability, tensorrt=tensorrt, server=server)
    report = inspect(repository, Wanted(form, place, _expected(), TEXT_SIGNALS))
    if as_json:
        document = {"repository": str(repository)} | asdict(report)
        print(json.dumps(document, indent=2))
    else:
        show(report, repository)
    if report.problems:
        raise typer.Exit(1)
