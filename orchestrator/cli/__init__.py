"""The command line: one module a verb. Every deliberate error is one readable line."""

import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.app.serving import DISTRIBUTION
from orchestrator.cli import check, demo_upstream, diff, explain, probe_labels, reference, serve
from orchestrator.cli import evaluate as evaluate
from orchestrator.cli import parity as parity
from orchestrator.cli import probe as probe
from orchestrator.cli import repository as repository
from orchestrator.cli import train_selector as train_selector
from orchestrator.cli import triton as triton
from orchestrator.errors import ConfigError, RouterError

application = typer.Typer(
    name="tsr",
    help="Route chat requests over a fleet of models by what they say, show and need.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
VERBS = (
    *(serve, triton, check, explain, probe, diff, evaluate),
    *(reference, probe_labels, parity, train_selector),
)
for verb in (*VERBS, demo_upstream):
    application.command(verb.NAME, help=verb.__doc__)(verb.run)
application.add_typer(repository.application, name=repository.NAME)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tsr {version(DISTRIBUTION)}")
        raise typer.Exit


@application.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    # A terminal's encoding, or a stray byte of an argument, must not turn output into a traceback.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        application()
    except ConfigError as error:
        check.print_problems(Console(stderr=True), error)
        sys.exit(1)
    except RouterError as error:
        said = escape(str(error))
        Console(stderr=True).print(f"[red]error[/red]: {said}", highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
