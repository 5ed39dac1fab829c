"""Run probe files: requests with the decisions they must win.

Example: [bold]tsr probe configs/demo.probes.yaml --config configs/router.yaml[/bold]

A probe that fails for want of a signal that this version does not run is reported as such, never
as a pass. Exit 1 if any other probe fails.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from orchestrator.app.policies import Compiled, build_policies, compile_file
from orchestrator.app.running import running
from orchestrator.cli.addresses import addresses
from orchestrator.config.load import resolve_secret
from orchestrator.config.schema import profiles, strategy
from orchestrator.errors import RouterError, UpstreamUnavailable
from orchestrator.evaluation import ignore
from orchestrator.inference.triton import TritonInference
from orchestrator.pipeline import Policy
from orchestrator.probes import load, report
from orchestrator.probes.dependencies import Dependencies, dependencies_of
from orchestrator.probes.junit import junit
from orchestrator.probes.load import Probe
from orchestrator.probes.runner import Ask, Result, asking
from orchestrator.probes.runner import run as run_probes
from orchestrator.probes.schema import ProbeFile
from orchestrator.probes.summary import summarise
from orchestrator.server.evaluate import evaluate

NAME = "probe"
REACH_S = 10.0


@dataclass(frozen=True, slots=True)
class Target:
    ask: Ask
    dependencies: Callable[[str], Dependencies | None]


@asynccontextmanager
async def _here(config: Path, triton_urls: Sequence[str]) -> AsyncIterator[Target]:
    """A router in this process."""
    async with running(compile_file(config), triton_urls) as router:

        async def ask(body: Mapping[str, Any]) -> dict[str, Any]:
            return await evaluate(router.pipeline, body, trace=True)

        yield Target(ask, _dependencies(router.compiled, router.pipeline.policies))


@asynccontextmanager
async def _there(url: str, token: str, config: Path | None) -> AsyncIterator[Target]:
    """The router at `url`; its policy, if given, tells which probes wait for later signals."""
    dependencies: Callable[[str], Dependencies | None] = lambda recipe: None  # noqa: E731
    if config is not None:
        compiled = compile_file(config)
        policies = build_policies(compiled, TritonInference(()), ignore)
        dependencies = _dependencies(compiled, policies)
    async with aiohttp.ClientSession() as session:
        await _reach(session, url)
        yield Target(asking(session, url, token), dependencies)


async def _reach(session: aiohttp.ClientSession, url: str) -> None:
    """Raises UpstreamUnavailable where nothing speaks HTTP: one line instead of one a probe."""
    try:
        async with session.get(url, timeout=aiohttp.ClientTimeout(REACH_S)):
            pass
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError):
        raise UpstreamUnavailable(f"the router cannot be asked: {url} is no http URL") from None
    except (aiohttp.ClientError, OSError) as error:
        why = str(error) or "no answer"
        raise UpstreamUnavailable(f"the router cannot be asked: {why}") from None


def _dependencies(
    compiled: Compiled, policies: Mapping[str, Policy]
) -> Callable[[str], Dependencies | None]:
    config = compiled.config
    found = {
        profile.name: dependencies_of(policies[profile.name], strategy(config, profile.routing))
        for profile in profiles(config)
    }
    return found.get


def _advance(bar: Progress, task: TaskID, result: Result) -> None:
    bar.advance(task)


async def _run(
    files: Sequence[tuple[ProbeFile, tuple[Probe, ...]]], where: AbstractAsyncContextManager[Target]
) -> list[tuple[str, tuple[Result, ...], bool]]:
    console = Console()
    outcomes: list[tuple[str, tuple[Result, ...], bool]] = []
    async with where as target:
        for file, probes in files:
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
) -> None:
    if url is not None:
        where = _there(url, resolve_secret(token_env) if token_env else "", config)
    elif config is not None:
        where = _here(config, tuple(triton_url or ()))
    else:
        raise typer.BadParameter("give --config, or the --url of a running router")
    outcomes = asyncio.run(_run([load.load(path) for path in files], where))
    if junit_file is not None:
        everything = [result for _, results, _ in outcomes for result in results]
        try:
            junit_file.write_bytes(junit("tsr probe", everything))
        except OSError as error:
            raise RouterError(f"cannot write {junit_file}: {error.strerror}") from None
    raise typer.Exit(0 if all(good for *_, good in outcomes) else 1)
