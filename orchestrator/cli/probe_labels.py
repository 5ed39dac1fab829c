r"""Compare pictures with labels by the live models: does the right group of labels win?

Example: [bold]tsr probe-labels --images pictures --labels labels.yaml[/bold]

The labels are texts in groups, YAML or JSON: groups: {receipt: \[a receipt, a till slip], ...}.
The right group of a picture stands under pictures: {till.jpg: receipt}, or its folder is called
so; `other` is none of them. A group scores as a rule with these candidates would: by its best text,
or with --aggregation mean by the mean. Where a wrong group scores as high as the right one, the
picture is inverted, and more of these than --most-inverted end with exit status 1. A picture that
the encoder does not know (KNOWN below its floor: rules are unknown) is told apart and not
inverted; where none is known, the exit status is 1, too.

--heat-map draws every score. --propose prints a threshold for each group, halfway between its own
lowest score and the highest of all other pictures, and none where these overlap; pictures that the
encoder does not know (KNOWN below its floor) do not count there.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from orchestrator.app.model_plane import model_plane, repository_of
from orchestrator.app.policies import compile_file, discover_extensions
from orchestrator.cli.addresses import addresses
from orchestrator.cli.starting import say_models
from orchestrator.config.services import Triton
from orchestrator.config.settings import Global
from orchestrator.errors import InferenceError, RouterError
from orchestrator.inference import Inference
from orchestrator.inference.questions import IMAGE_MODELS
from orchestrator.inference.repository import published
from orchestrator.labelled import groups as labels_file
from orchestrator.labelled import heat_map, margins
from orchestrator.labelled.inversion import Aggregation, judge
from orchestrator.labelled.looking import Looked, look
from orchestrator.labelled.pictures import files
from orchestrator.telemetry import Telemetry

NAME = "probe-labels"
PATIENCE_S = 120.0  # for one request


@asynccontextmanager
async def _live(settings: Triton, triton_urls: Sequence[str]) -> AsyncIterator[Inference]:
    _require(repository_of(settings))
    say_models(settings, IMAGE_MODELS, triton_urls)
    patient = settings.model_copy(update={"deadline": max(settings.deadline, PATIENCE_S)})
    async with model_plane(patient, IMAGE_MODELS, triton_urls, Telemetry()) as plane:
        await plane.looked()
        yield plane.inference


def report(
    live: AbstractAsyncContextManager[Inference],
    images: Path,
    labels: Path,
    *,
    as_json: bool = False,
    picture: Path | None = None,
    propose: bool = False,
    most_inverted: float = 0.0,
    aggregation: Aggregation = Aggregation.MAX,
) -> None:
    """Ask, judge and print. Raises RouterError where too many are inverted, and what asking and
    reading raise: everything is read before anything is asked.
    """
    stated = labels_file.read(labels)
    found = files(images, stated.pictures)
    labels_file.refuse_absent(stated, found)
    right = stated.right(found)
    looked = asyncio.run(_look(live, found, stated.texts))
    errors = Console(stderr=True)
    for name, reason in looked.refused.items():
        said = f"[yellow]warning[/yellow]: {escape(name)} is not read: {escape(reason)}"
        errors.print(said, highlight=False, soft_wrap=True)
    judged = judge(looked, stated.groups, right, aggregation)
    if picture is not None:
        heat_map.draw(picture, looked, judged, stated.groups)
    if as_json:
        print(json.dumps(margins.plain(judged, looked, stated.groups), indent=2))
    else:
        console = Console()
        heat_map.print_to(console, judged)
        margins.show(console, judged)
        if propose:
            print(f"\n{margins.fragment(judged, stated.groups, str(images))}", end="")
    if (wrong := margins.verdict(judged, most_inverted)) is not None:
        raise RouterError(wrong)


async def _look(
    live: AbstractAsyncContextManager[Inference], found: Mapping[str, Path], texts: Sequence[str]
) -> Looked:
    async with live as inference:
        with Progress(console=Console(stderr=True), transient=True) as bar:
            stage = partial(bar.advance, bar.add_task("pictures", total=len(found)))
            return await look(inference, found, texts, stage)


def _require(repository: Path) -> None:
    """Raises InferenceError that names the models which the repository lacks."""
    absent = [model for model in IMAGE_MODELS if not published(repository, model)]
    if absent:
        raise InferenceError(
            f"the model repository {repository} has no {' and no '.join(absent)} with goldens"
        )


def run(
    images: Annotated[Path, typer.Option(help="The folder of pictures, read with all below it.")],
    labels: Annotated[Path, typer.Option(help="The file of labels, YAML or JSON.")],
    config: Annotated[
        Path | None, typer.Option(help="The policy whose Triton and model repository are used.")
    ] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--heat-map", help="Write the heat map as a PNG.")
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Print embedding rules with thresholds.")
    ] = False,
    most_inverted: Annotated[
        float, typer.Option(min=0, max=1, help="The share of known pictures that may be inverted.")
    ] = 0.0,
    aggregation: Annotated[
        Aggregation, typer.Option(help="A group's score: of its best text, or their mean.")
    ] = Aggregation.MAX,
) -> None:
    discover_extensions()
    settings = compile_file(config).config.global_ if config else Global()
    report(
        _live(settings.services.triton, tuple(triton_url or ())),
        images,
        labels,
        as_json=as_json,
        picture=picture,
        propose=propose,
        most_inverted=most_inverted,
        aggregation=aggregation,
    )
