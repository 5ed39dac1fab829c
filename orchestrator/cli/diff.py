"""Show what changes between two policies, and with --traffic which requests change.

Example: [bold]tsr diff old.yaml new.yaml --traffic requests.jsonl[/bold]

The policies are compared as they are understood: comments, order of keys and defaults that are
written out are no change, nor is the place of a decision in the file (priority, confidence and
the name decide); what only changes its name is told as renamed.

--traffic takes JSON Lines of chat bodies ({messages, ...} or {text}), probe files (.yaml), or - for
standard input, and may be repeated. Each request is routed through both policies in this process;
nothing is forwarded. A line that is no request is named, and the others go on. The cost is an
estimate by providers.models\\[].pricing. Requests that hang on a signal that is unknown are counted
apart, as with --offline all that need a model.

Exit 0; 1 with --exit-code if anything changes; 2 for errors, such as a line that is no request.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from orchestrator.app.policies import Compiled, compile_file
from orchestrator.changes.as_json import effects_json, structure_json
from orchestrator.changes.costs import costs, prices_of
from orchestrator.changes.effects import Effects, effects, split
from orchestrator.changes.report import LISTED, show_effects, show_structure
from orchestrator.changes.routing import Routed, route
from orchestrator.changes.running import both, models_of
from orchestrator.changes.structure import Structure, structure
from orchestrator.changes.traffic import Recorded, read
from orchestrator.cli.addresses import addresses
from orchestrator.cli.check import print_problems
from orchestrator.cli.starting import say_models
from orchestrator.errors import ConfigError, RouterError
from orchestrator.inference import attempt

NAME = "diff"
ERROR = 2  # exit status
COMPLETION_TOKENS = 512


def run(
    old: Annotated[Path, typer.Argument(help="The policy as it was.")],
    new: Annotated[Path, typer.Argument(help="The policy as it is to be.")],
    traffic: Annotated[
        list[str] | None, typer.Option(help="Requests: JSON Lines, a probe file, or -.")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="How to print it.")] = "text",
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 if anything changes.")
    ] = False,
    completion_tokens: Annotated[
        int, typer.Option(min=0, help="Length of an answer that max_tokens does not bound.")
    ] = COMPLETION_TOKENS,
    examples: Annotated[int, typer.Option(min=0, help="Changed requests to list.")] = 10,
    show_prompts: Annotated[
        bool, typer.Option("--show-prompts", help="Quote the first 60 characters of each.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no model: what needs one is unknown.")
    ] = False,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
) -> None:
    try:
        before, after = compile_file(old), compile_file(new)
        found = structure(before, after)
        effect = None
        if traffic:
            requests = read(traffic, sys.stdin.buffer)
            routed = asyncio.run(_routed(before, after, requests, triton_url or (), offline))
            effect = _effects(before, after, found, routed, completion_tokens)
    except ConfigError as error:
        print_problems(Console(stderr=True), error)
        raise typer.Exit(ERROR) from None
    except RouterError as error:
        said = f"[red]error[/red]: {escape(str(error))}"
        Console(stderr=True).print(said, highlight=False, soft_wrap=True)
        raise typer.Exit(ERROR) from None
    if format == "json":
        answer = {
            "changes": structure_json(found.changes),
            "traffic": effects_json(effect, completion_tokens, show_prompts) if effect else None,
        }
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    else:
        console = Console(highlight=False)
        show_structure(console, found.changes)
        if effect is not None:
            show_effects(console, effect, completion_tokens, examples, show_prompts)
    if effect is not None and effect.unreadable:
        _complain(effect)
        raise typer.Exit(ERROR)
    changed = bool(found.changes or (effect and (effect.changed or effect.open_surely)))
    raise typer.Exit(1 if changed and exit_code else 0)


def _complain(effect: Effects) -> None:
    """On stderr too, as what is printed may be for programs."""
    found = effect.unreadable
    said = f"[red]error[/red]: {len(found)} of {effect.requests} requests cannot be read: "
    places = ", ".join(f"{one.place or one.id} ({one.reason})" for one in found[:LISTED])
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    console = Console(stderr=True)
    console.print(said + escape(places) + more, highlight=False, soft_wrap=True)


async def _routed(
    old: Compiled,
    new: Compiled,
    requests: Sequence[Recorded],
    triton_urls: Sequence[str],
    offline: bool,
) -> Routed:
    if not offline:
        triton = new.config.global_.services.triton
        say_models(triton, models_of((old, new)), triton_urls)
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("routing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    async with both(old, new, triton_urls, offline) as (before, after):
        with bar, _without_complaints(offline):
            task = bar.add_task("", total=len(requests))
            return await route(requests, before, after, lambda: bar.advance(task))


@contextmanager
def _without_complaints(offline: bool) -> Iterator[None]:
    """Offline, that no model answers is what was asked for."""
    logger = logging.getLogger(attempt.__name__)
    level = logger.level
    if offline:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _effects(
    old: Compiled, new: Compiled, found: Structure, routed: Routed, completion_tokens: int
) -> Effects:
    compared, _ = split(routed)
    prices = prices_of(old.config), prices_of(new.config)
    return effects(routed, found, costs(compared, *prices, completion_tokens))
