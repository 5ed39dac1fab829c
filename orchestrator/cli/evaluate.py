r"""Ask the live models about labelled texts and report how good the answers are.

Example: [bold]tsr evaluate test.jsonl --calibrate[/bold]

A line of a file is {"text": "...", "task": "...", "label": "..."}, or for personal data
{"text": "...", "task": "...", "spans": \[\[start, stop, "LABEL"], ...]}. The optional keys kind,
language and source name slices, which are reported from 20 texts on. The models are asked as
the signals ask them; thresholds are those of --config, or the defaults. --calibrate prints
thresholds that suit these texts, and writes nothing.

With --url, the classify endpoints of a running router are asked and no Triton is started here.
They tell the probabilities of some tasks only; thresholds are still those of --config.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import aiohttp
import typer
from rich.console import Console
from rich.progress import Progress

from orchestrator.app.model_plane import model_plane, named, repository_of
from orchestrator.app.policies import compile_file, discover_extensions
from orchestrator.cli.addresses import addresses
from orchestrator.cli.remote import reach
from orchestrator.cli.starting import say_models
from orchestrator.config.load import resolve_secret
from orchestrator.config.services import Triton
from orchestrator.config.settings import Global
from orchestrator.errors import InferenceError
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.tasks import Tasks, load_tasks
from orchestrator.labelled import tables
from orchestrator.labelled.asking import BATCH, Asking, asking
from orchestrator.labelled.examination import Examined, examine
from orchestrator.labelled.proposal import fragment, propose
from orchestrator.labelled.remote import Router
from orchestrator.labelled.rows import Row, by_task, read
from orchestrator.labelled.thresholds import Served, served
from orchestrator.telemetry import Telemetry

NAME = "evaluate"
PATIENCE_S = 120.0  # for one request: many long texts at once may take longer than traffic may


@asynccontextmanager
async def _live(settings: Triton, triton_urls: Sequence[str]) -> AsyncIterator[Asking]:
    """The models, asked as the signals ask them."""
    say_models(settings, (TEXT_SIGNALS,), triton_urls)
    patient = settings.model_copy(update={"deadline": max(settings.deadline, PATIENCE_S)})
    async with model_plane(patient, (TEXT_SIGNALS,), triton_urls, Telemetry()) as plane:
        await plane.looked()
        yield asking(plane.inference)


@asynccontextmanager
async def _there(url: str, token: str) -> AsyncIterator[Asking]:
    """The router at `url`."""
    async with aiohttp.ClientSession() as session:
        await reach(session, url)
        yield Router(session, url, token).asking


def report(
    live: AbstractAsyncContextManager[Asking],
    rows: Mapping[str, Sequence[Row]],
    tasks: Tasks,
    thresholds: Mapping[str, Served],
    *,
    concurrency: int = 2,
    as_json: bool = False,
    proposed_for: Sequence[str] | None = None,
) -> None:
    """Ask, judge and print every task. `proposed_for`: the files that the proposed thresholds
    name; None proposes none. Raises what asking raises."""
    examined = asyncio.run(_examine(live, rows, tasks, thresholds, concurrency))
    known = [one for one in examined if one.report.task in thresholds]
    proposals = [propose(one, thresholds[one.report.task]) for one in known]
    if proposed_for is None:
        proposals = []
    if as_json:
        print(json.dumps(tables.plain([one.report for one in examined], proposals), indent=2))
        return
    console = Console()
    for one in examined:
        tables.show(console, one.report)
    if proposals:
        print(f"\n{fragment(proposals, proposed_for or ())}", end="")


async def _examine(
    live: AbstractAsyncContextManager[Asking],
    rows: Mapping[str, Sequence[Row]],
    tasks: Tasks,
    thresholds: Mapping[str, Served],
    concurrency: int,
) -> list[Examined]:
    async with live as asking:
        asks = {name: asking(name, tasks[name]) for name in rows}  # a refusal comes first
        with Progress(console=Console(stderr=True), transient=True) as bar:
            return [
                await examine(
                    asks[name],
                    name,
                    tasks[name],
                    some,
                    served=thresholds[name].value if name in thresholds else None,
                    concurrency=concurrency,
                    stage=partial(_stage, bar),
                )
                for name, some in rows.items()
            ]


def _stage(bar: Progress, name: str, total: int) -> Callable[[int], None]:
    return partial(bar.advance, bar.add_task(name, total=total))


def run(
    files: Annotated[list[Path], typer.Argument(help="JSONL files of labelled texts.")],
    config: Annotated[
        Path | None, typer.Option(help="The policy whose thresholds and Triton are used.")
    ] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Management URL of a running router.")] = None,
    token_env: Annotated[
        str | None, typer.Option(help="Environment variable with that router's bearer token.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="This task alone.")] = None,
    calibrate: Annotated[bool, typer.Option("--calibrate", help="Propose thresholds.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Texts of each task at most, evenly spread.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, max=64, help=f"Calls on their way at once, of {BATCH} texts.")
    ] = 2,
) -> None:
    if url is not None and triton_url:
        raise typer.BadParameter("give --url or --triton-url: a router has a Triton of its own")
    discover_extensions()
    settings = compile_file(config).config.global_ if config else Global()
    triton = settings.services.triton
    (model,) = named(triton, (TEXT_SIGNALS,))
    tasks = load_tasks(repository_of(triton), model)
    if not tasks:
        folder = repository_of(triton) / model
        raise InferenceError(f"{folder} has no labels.json, which tells the tasks and their labels")
    rows = by_task(read(files, tasks, task), limit)
    if url is not None:
        live = _there(url, resolve_secret(token_env) if token_env else "")
    else:
        live = _live(triton, tuple(triton_url or ()))
    report(
        live,
        rows,
        tasks,
        served(settings),
        concurrency=concurrency,
        as_json=as_json,
        proposed_for=[path.name for path in files] if calibrate else None,
    )
