"""The command line: one module a verb. Every deliberate error is one readable line."""

import sys
from io import TextIOWrapper

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.cli import check, demo_upstream, explain, serve
from orchestrator.cli import probe as probe
from orchestrator.errors import ConfigError, RouterError

application = typer.Typer(
    name="tsr",
    help="Route chat requests over a fleet of models by what they say, show and need.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for verb in (serve, check, explain, probe, demo_upstream):
    application.command(verb.NAME, help=verb.__doc__)(verb.run)


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
