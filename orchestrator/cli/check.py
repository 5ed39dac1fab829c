"""Read a policy and print everything that is wrong with it, and what this version does not run.

What the decisions can and cannot do is proved: those that never match, those that never win, and
conditions that no request meets are warnings; notes do not count.

Example: [bold]tsr check configs/router.yaml[/bold]
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape

from orchestrator.analysis.explanation import Explanation, explain
from orchestrator.app.proofs import Proved, prove_file
from orchestrator.cli import verdicts as shown
from orchestrator.cli.grouping import grouped
from orchestrator.cli.sarif import sarif
from orchestrator.config.problems import nearest
from orchestrator.errors import ConfigError, Problem

NAME = "check"
COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


def _line(problem: Problem) -> str:
    place = f"{problem.file or '<config>'}:{problem.line}: " if problem.line else ""
    place = place or (f"{problem.file}: " if problem.file else "")
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
        Literal["text", "json", "sarif"], typer.Option(help="How to print the problems.")
    ] = "text",
    explain: Annotated[
        list[str] | None,
        typer.Option(metavar="DECISION", help="Say what this decision needs to win. Repeatable."),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Say of every decision whether it can win.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Each setting that is not used on its own line.")
    ] = False,
) -> None:
    proved: Proved | None = None
    problems: Sequence[Problem]
    try:
        proved = prove_file(config)
        both = (*proved.compiled.warnings, *proved.remarks)
        problems = sorted(both, key=lambda problem: problem.line or 0)
    except ConfigError as error:
        problems = error.problems or (Problem(path="", message=str(error), file=str(config)),)
    told = _explanations(proved, explain or ()) if proved else []
    if format == "sarif":
        print(json.dumps(sarif(problems, str(config), _asked(proved, told, verdicts)), indent=2))
    elif format == "json":
        print(json.dumps(_data(problems, _asked(proved, told, verdicts)), indent=2))
    else:
        _show(config, problems, proved, told, verdicts=verdicts, verbose=verbose)
    failing = ("error", "warning") if strict else ("error",)
    raise typer.Exit(1 if any(problem.severity in failing for problem in problems) else 0)


def _explanations(proved: Proved, names: Sequence[str]) -> list[Explanation]:
    """Of each recipe that has such a decision."""
    found: list[Explanation] = []
    for name in names:
        pairs = zip(proved.policies, proved.reports, strict=True)
        told = [one for policy, report in pairs if (one := explain(policy, name, report))]
        if not told:
            known = [decision.name for policy in proved.policies for decision in policy.decisions]
            hint = nearest(name, known)
            said = f"no recipe has a decision {name!r}{f'; {hint}' if hint else ''}"
            raise typer.BadParameter(said, param_hint="--explain")
        found += told
    return found


def _asked(proved: Proved | None, told: Sequence[Explanation], verdicts: bool) -> dict[str, Any]:
    """What --verdicts and --explain ask for, beside the problems."""
    data: dict[str, Any] = {}
    if verdicts:
        data["recipes"] = shown.as_data(proved.reports if proved else ())
    if told:
        data["explained"] = [shown.explained(one) for one in told]
    return data


def _data(problems: Sequence[Problem], asked: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A list of problems; an object around it where more is asked for."""
    listed = [asdict(problem) for problem in problems]
    return {"problems": listed, **asked} if asked else listed


def _show(
    config: Path,
    problems: Sequence[Problem],
    proved: Proved | None,
    told: Sequence[Explanation],
    *,
    verdicts: bool,
    verbose: bool,
) -> None:
    """--explain alone shows nothing else."""
    console = Console(soft_wrap=True)
    if told and not verdicts:
        shown.show_explanations(Console(), told)
        return
    listed = problems if verbose else grouped(problems)
    _print(console, listed)
    if verdicts and proved:
        shown.show_reports(Console(), proved.reports)
        shown.show_explanations(Console(), told)
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = sum(problem.severity == "warning" for problem in problems)
    less = "" if len(listed) == len(problems) else f" on {len(listed)} lines (-v: each by itself)"
    verdict = "[red]not usable[/red]" if errors else "[green]ok[/green]"
    console.print(
        f"{escape(str(config))}: {verdict}, {_count(errors, 'error')}, "
        f"{_count(warnings, 'warning')}{less}",
        highlight=False,
    )
