"""Read a policy and print everything that is wrong with it, and what this version does not run.

Example: [bold]tsr check configs/router.yaml[/bold]
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.app.policies import compile_file
from orchestrator.cli.grouping import grouped
from orchestrator.errors import ConfigError, Problem

NAME = "check"
COLOURS = {"error": "red", "warning": "yellow"}


def _line(problem: Problem) -> str:
    place = f"{problem.file or '<config>'}:{problem.line}: " if problem.line else ""
    path = f"[bold]{escape(problem.path)}[/bold]: " if problem.path else ""
    hint = f" [dim]({escape(problem.hint)})[/dim]" if problem.hint else ""
    colour = COLOURS[problem.severity]
    return (
        f"{escape(place)}[{colour}]{problem.severity}[/{colour}]: "
        f"{path}{escape(problem.message)}{hint}"
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def print_problems(console: Console, error: ConfigError) -> None:
    if not error.problems:
        console.print(f"[red]error[/red]: {escape(str(error))}", highlight=False, soft_wrap=True)
    _print(console, error.problems)


def _print(console: Console, problems: Sequence[Problem]) -> None:
    for problem in problems:
        console.print(_line(problem), highlight=False, soft_wrap=True)


def run(
    config: Annotated[Path, typer.Argument(help="The policy file.")],
    format: Annotated[
        Literal["text", "json"], typer.Option(help="How to print the problems.")
    ] = "text",
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Each setting that is not used on its own line.")
    ] = False,
) -> None:
    console = Console(soft_wrap=True)
    try:
        compiled = compile_file(config)
        problems: Sequence[Problem] = compiled.warnings
    except ConfigError as error:
        problems = error.problems or (Problem(path="", message=str(error), file=str(config)),)
    errors = [problem for problem in problems if problem.severity == "error"]
    if format == "json":
        print(json.dumps([asdict(problem) for problem in problems], indent=2))
    else:
        shown = problems if verbose else grouped(problems)
        _print(console, shown)
        less = "" if len(shown) == len(problems) else f" on {len(shown)} lines (-v: each by itself)"
        verdict = "[red]not usable[/red]" if errors else "[green]ok[/green]"
        warnings = len(problems) - len(errors)
        console.print(
            f"{escape(str(config))}: {verdict}, {_count(len(errors), 'error')}, "
            f"{_count(warnings, 'warning')}{less}",
            highlight=False,
        )
    raise typer.Exit(1 if errors else 0)
