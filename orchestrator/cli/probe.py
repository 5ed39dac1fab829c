"""Run probe files: requests with the decisions they must win.

Example: [bold]tsr probe configs/demo.probes.yaml --config configs/router.yaml[/bold]

A probe that fails where only a signal that this version does not run can tell the outcome
"needs learned signals": no pass and no failure. Exit 1 if any other probe fails. What the file
demands and does not get is printed as "not accepted" and does not change the exit status.

A signal that differs is shown with its state, numbers and reason. --coverage adds what no probe
exercises: decisions that never won, conditions of their trees that were never true or never false,
by YAML path. What the file demands (`acceptance`, `coverage`) then counts: exit 1 below.

With --url and --config, the router at the URL is probed and the policy, run here, judges which
failures wait for such signals; without --config every miss is a failure.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from orchestrator.app.policies import Blueprint, Compiled, compile_file, discover_extensions
from orchestrator.app.running import Running, running
from orchestrator.cli import coverage as covering
from orchestrator.cli.addresses import addresses
from orchestrator.cli.coverage import Files
from orchestrator.cli.doubt import doubting
from orchestrator.cli.remote import reach
from orchestrator.cli.starting import say_starting
from orchestrator.config.load import resolve_secret
from orchestrator.config.schema import strategy
from orchestrator.errors import RouterError
from orchestrator.pipeline import Pipeline, Policy
from orchestrator.probes import load, report
from orchestrator.probes.dependencies import Dependencies, dependencies_of
from orchestrator.probes.junit import junit
from orchestrator.probes.load import Probe
from orchestrator.probes.runner import Ask, Result, asking
from orchestrator.probes.runner import run as run_probes
from orchestrator.probes.schema import ProbeFile
from orchestrator.probes.summary import summarise
from orchestrator.server.evaluate import evaluate
from orchestrator.signals import SIGNALS

NAME = "probe"


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked, and what the policy, where it is at hand, knows of a failure."""

    ask: Ask
    dependencies: Callable[[str], Dependencies | None] = lambda recipe: None
    doubting: Ask | None = None
    plan: covering.Plan | None = None


@dataclass(slots=True)
class Run:
    """What came of all files together."""

    results: list[Result] = field(default_factory=list)
    failed: int = 0
    accepted: bool = True
    plan: covering.Plan | None = None


@asynccontextmanager
async def _here(config: Path, triton_urls: Sequence[str]) -> AsyncIterator[Target]:
    """A router in this process."""
    compiled = compile_file(config)
    say_starting(compiled, triton_urls)
    async with running(compiled, triton_urls) as router:
        policies = router.pipeline.policies
        yield Target(
            _asking(router.pipeline),
            _dependencies(compiled, policies),
            await _doubting(router),
            covering.plan_of(compiled, policies),
        )


@asynccontextmanager
async def _there(
    url: str, token: str, config: Path | None, triton_urls: Sequence[str]
) -> AsyncIterator[Target]:
    """The router at `url`; its policy, if given, tells which probes wait for later signals."""
    discover_extensions()
    async with aiohttp.ClientSession() as session:
        await reach(session, url)
        ask = asking(session, url, token)
        if config is None:
            yield Target(ask)
            return
        async with _here(config, triton_urls) as target:
            yield replace(target, ask=ask)


def _asking(pipeline: Pipeline) -> Ask:
    async def ask(body: Mapping[str, Any]) -> dict[str, Any]:
        return await evaluate(pipeline, body, trace=True)

    return ask


async def _doubting(router: Running) -> Ask | None:
    if not any(policy.idle for policy in router.pipeline.policies.values()):
        return None  # every signal runs, so there is nothing to wait for
    return _asking(await doubting(router))


def _dependencies(
    compiled: Compiled, policies: Mapping[str, Policy]
) -> Callable[[str], Dependencies | None]:
    config = compiled.config
    found = {
        blueprint.profile.name: dependencies_of(
            policies[blueprint.profile.name],
            strategy(config, blueprint.profile.routing),
            thresholds_of(blueprint),
        )
        for blueprint in compiled.blueprints
    }
    return found.get


def thresholds_of(blueprint: Blueprint) -> dict[str, float]:
    """What the value of a rule must reach, by `family:rule`, where its row says it."""
    return {
        f"{family}:{name}": limit
        for family, rules in blueprint.rules.items()
        for name, limit in SIGNALS[family].limits(rules).items()
    }


def _progress(
    file: ProbeFile, probes: Sequence[Probe]
) -> tuple[Progress, Callable[[Result], None]]:
    """A bar on stderr, where that is a terminal, with what failed so far."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("[red]{task.fields[failed]} failed[/red]"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task(escape(file.name), total=len(probes), failed=0)
    failed: list[Result] = []

    def advance(result: Result) -> None:
        failed.extend([result] if result.status == "fail" else [])
        bar.update(task, advance=1, failed=len(failed))

    return bar, advance


async def _run(
    files: Files, where: AbstractAsyncContextManager[Target], parallel: int | None
) -> Run:
    console = Console()
    run = Run()
    async with where as target:
        run.plan = target.plan
        for file, probes in files:
            bar, progress = _progress(file, probes)
            with bar:
                results = await run_probes(
                    file,
                    probes,
                    target.ask,
                    target.dependencies,
                    progress,
                    target.doubting,
                    parallel,
                )
            summary = summarise(file, results)
            report.show(console, file.name, results, summary)
            run.results.extend(results)
            run.failed += summary.probes.failed
            run.accepted = run.accepted and summary.accepted
    return run


def run(
    files: Annotated[list[Path], typer.Argument(help="Probe files.")],
    config: Annotated[Path | None, typer.Option(help="The policy, run in this process.")] = None,
    url: Annotated[str | None, typer.Option(help="Management URL of a running router.")] = None,
    token_env: Annotated[
        str | None, typer.Option(help="Environment variable with that router's bearer token.")
    ] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write the results as JUnit XML.")
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Requests at a time. Default: as the file says."),
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show what of the policy no probe exercises.")
    ] = False,
    coverage_json: Annotated[
        Path | None, typer.Option(help="Write the coverage as JSON; implies --coverage.")
    ] = None,
    coverage_min: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PERCENT",
            help="Fail below so much of decisions, leaves or branches; implies --coverage.",
        ),
    ] = None,
) -> None:
    floors = covering.floors(coverage_min)
    if url is not None:
        token = resolve_secret(token_env) if token_env else ""
        where = _there(url, token, config, tuple(triton_url or ()))
    elif config is not None:
        where = _here(config, tuple(triton_url or ()))
    else:
        raise typer.BadParameter("give --config, or the --url of a running router")
    loaded = [load.load(path) for path in files]
    run = asyncio.run(_run(loaded, where, parallel))
    if junit_file is not None:
        _write(junit_file, junit("tsr probe", run.results))
    good = run.failed == 0
    if coverage or coverage_json is not None or floors:
        covered = covering.show(Console(), loaded, run.results, run.plan, coverage_json, floors)
        good = good and run.accepted and covered
    raise typer.Exit(0 if good else 1)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise RouterError(f"cannot write {path}: {error.strerror}") from None
