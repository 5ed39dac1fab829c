"""Run probe files: requests with the decisions they must win.

Example: [bold]tsr probe configs/demo.probes.yaml --config configs/router.yaml[/bold]

A probe that fails for want of a signal that this version does not run is reported as such, never
as a pass. Exit 1 if any other probe fails.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from orchestrator.app.policies import compile_file
from orchestrator.app.running import Running, running
from orchestrator.config.schema import profiles, strategy
from orchestrator.probes import load, report
from orchestrator.probes.dependencies import Dependencies, dependencies_of
from orchestrator.probes.junit import junit
from orchestrator.probes.runner import Ask, Result, asking
from orchestrator.probes.runner import run as run_probes
from orchestrator.probes.summary import summarise
from orchestrator.server.evaluate import evaluate

NAME = "probe"


@dataclass(frozen=True, slots=True)
class Target:
    ask: Ask
    dependencies: Callable[[str], Dependencies | None]


@asynccontextmanager
async def _target(
    config: Path | None, url: str | None, urls: Sequence[str]
) -> AsyncIterator[Target]:
    """A router in this process, or the one at `url` (whose policy may be given too)."""
    if url is None:
        if config is None:
            raise typer.BadParameter("give --config, or the --url of a running router")
        async with running(compile_file(config), urls) as router:
            yield Target(_asking(router), _dependencies(router))
        return
    async with aiohttp.ClientSession() as session:
        yield Target(asking(session, url), lambda recipe: None)


def _asking(router: Running) -> Ask:
    async def ask(body: Mapping[str, Any]) -> dict[str, Any]:
        return await evaluate(router.pipeline, body, trace=True)

    return ask


def _dependencies(router: Running) -> Callable[[str], Dependencies | None]:
    config = router.compiled.config
    found = {
        profile.name: dependencies_of(
            router.pipeline.policies[profile.name], strategy(config, profile.routing)
        )
        for profile in profiles(config)
    }
    return found.get


def _advance(bar: Progress, task: TaskID, result: Result) -> None:
    bar.advance(task)


async def _run(
    files: Sequence[Path], config: Path | None, url: str | None, urls: Sequence[str]
) -> list[tuple[str, tuple[Result, ...], bool]]:
    console = Console()
    outcomes: list[tuple[str, tuple[Result, ...], bool]] = []
    async with _target(config, url, urls) as target:
        for path in files:
            file, probes = load.load(path)
            with Progress(console=Console(stderr=True), transient=True) as bar:
                progress = partial(_advance, bar, bar.add_task(file.name, total=len(probes)))
                results = await run_probes(file, probes, target.ask, target.dependencies, progress)
            summary = summarise(file, results)
            report.show(console, file.name, results, summary)
            outcomes.append((file.name, results, summary.probes.failed == 0))
    return outcomes


def run(
    files: Annotated[list[Path], typer.Argument(help="Probe files.")],
    config: Annotated[Path | None, typer.Option(help="The policy, run in this process.")] = None,
    url: Annotated[str | None, typer.Option(help="Management URL of a running router.")] = None,
    triton_url: Annotated[
        list[str] | None, typer.Option(help="A running Triton. Default: an embedded one.")
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write the results as JUnit XML.")
    ] = None,
) -> None:
    outcomes = asyncio.run(_run(files, config, url, tuple(triton_url or ())))
    if junit_file is not None:
        everything = [result for _, results, _ in outcomes for result in results]
        junit_file.write_bytes(junit("tsr probe", everything))
    raise typer.Exit(0 if all(good for *_, good in outcomes) else 1)
