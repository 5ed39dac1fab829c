"""Run probe files: requests with the decisions they must win.

Example: [bold]tsr probe configs/demo.probes.yaml --config configs/router.yaml[/bold]

A probe that fails where only a signal that this version does not run can tell the outcome
"needs learned signals": no pass and no failure. Exit 1 if any other probe fails. What the file
demands and does not get is printed as "not accepted" and does not change the exit status.

With --url and --config, the router at the URL is probed and the policy, run here, judges which
failures wait for such signals; without --config every miss is a failure.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from orchestrator.app.policies import Blueprint, Compiled, compile_file
from orchestrator.app.running import running
from orchestrator.cli.addresses import addresses
from orchestrator.cli.doubt import doubting
from orchestrator.cli.remote import reach
from orchestrator.cli.starting import say_starting
from orchestrator.config.load import resolve_secret
from orchestrator.config.schema import strategy
from orchestrator.errors import RouterError
from orchestrator.inference import Inference
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
            await _doubting(compiled, policies, router.plane.inference),
        )


@asynccontextmanager
async def _there(
    url: str, token: str, config: Path | None, triton_urls: Sequence[str]
) -> AsyncIterator[Target]:
    """The router at `url`; its policy, if given, tells which probes wait for later signals."""
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


async def _doubting(
    compiled: Compiled, policies: Mapping[str, Policy], inference: Inference
) -> Ask | None:
    if not any(policy.idle for policy in policies.values()):
        return None  # every signal runs, so there is nothing to wait for
    return _asking(await doubting(compiled, inference))


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
                results = await run_probes(
                    file, probes, target.ask, target.dependencies, progress, target.doubting
                )
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
        token = resolve_secret(token_env) if token_env else ""
        where = _there(url, token, config, tuple(triton_url or ()))
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
