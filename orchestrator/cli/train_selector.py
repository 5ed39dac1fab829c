r"""Train a selector from what models did with requests: knn, kmeans, svm or mlp.

Example: [bold]tsr train-selector --algorithm knn --data outcomes.jsonl --out models[/bold]

A line of the data is {"query": "...", "model": "...", "quality": 0.8, "latency": 1.7}: quality from
0 to 1, latency in seconds. Queries are embedded by the live models, as requests are. The artefact
is DIR/<algorithm>_model.json, and global.router.model_selection.ml.models_path names DIR. What it
is worth is measured first, on every fifth query, which it has then not seen.

It needs the extra `selectors`: pip install 'triton-semantic-router\[selectors]'.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from orchestrator.app.model_plane import model_plane
from orchestrator.app.policies import compile_file, discover_extensions
from orchestrator.cli.addresses import addresses
from orchestrator.cli.starting import say_models
from orchestrator.config.services import Triton
from orchestrator.config.settings import Global
from orchestrator.config.writing import PUBLIC, write_file
from orchestrator.errors import ConfigError, InferenceError
from orchestrator.inference import Inference
from orchestrator.inference.examples import MODEL, embed
from orchestrator.inference.questions import TEXT_SIGNALS, topic
from orchestrator.ranking.features import Feature, feature
from orchestrator.selection import trained
from orchestrator.signals.domain import TASK
from orchestrator.telemetry import Telemetry
from orchestrator.training.fitting import fit, require
from orchestrator.training.outcomes import Outcome, lessons, read
from orchestrator.training.trial import Trial, trial

NAME = "train-selector"
BATCH = 16  # queries on their way at once
PATIENCE_S = 120.0  # for one request


async def features(
    inference: Inference, queries: Sequence[str], progress: Progress
) -> Mapping[str, Feature]:
    """Embedding and subject of each query, as `choosing.polling` asks for them."""
    found: dict[str, Feature] = {}
    bar = progress.add_task("queries", total=len(queries))
    for start in range(0, len(queries), BATCH):
        some = queries[start : start + BATCH]
        for query, one in zip(
            some, await asyncio.gather(*(_feature(inference, q) for q in some)), strict=True
        ):
            found[query] = one
        progress.advance(bar, len(some))
    return found


async def _feature(inference: Inference, query: str) -> Feature:
    (vectors, _), subject = await asyncio.gather(
        embed(inference, [query]), _subject(inference, query)
    )
    return feature(vectors[0], subject)


async def _subject(inference: Inference, query: str) -> str:
    """Empty where the classifier does not answer, as for requests."""
    try:
        shares = (await topic(inference, query, TASK)).probabilities
    except InferenceError:
        return ""
    return max(shares, key=lambda subject: shares[subject])


async def _live(
    settings: Triton, triton_urls: Sequence[str], queries: Sequence[str]
) -> Mapping[str, Feature]:
    models = (MODEL, TEXT_SIGNALS)
    say_models(settings, models, triton_urls)
    patient = settings.model_copy(update={"deadline": max(settings.deadline, PATIENCE_S)})
    async with model_plane(patient, models, triton_urls, Telemetry()) as plane:
        await plane.looked()
        with Progress(console=Console(stderr=True), transient=True) as progress:
            return await features(plane.inference, queries, progress)


def train(
    algorithm: str, outcomes: Sequence[Outcome], known: Mapping[str, Feature], out: Path
) -> tuple[Path, Trial | None]:
    """Write the artefact. Raises what `fit` raises, and ConfigError for a folder that cannot be
    written to."""
    some = lessons(outcomes, known)
    tried = trial(algorithm, some)
    document = fit(algorithm, some).document
    path = out / f"{algorithm}_model.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
    write_file(path, orjson.dumps(document).decode(), mode=PUBLIC)
    return path, tried


def _trained(algorithm: str) -> str:
    discover_extensions()
    known = trained()
    if algorithm not in known:
        raise typer.BadParameter(f"{algorithm!r} is not one of {', '.join(known)}")
    return algorithm


def run(
    algorithm: Annotated[str, typer.Option(help="What is trained.", callback=_trained)],
    data: Annotated[list[Path], typer.Option(help="JSONL of outcomes; repeat for several.")],
    out: Annotated[Path, typer.Option(help="The folder of the artefact.")],
    config: Annotated[Path | None, typer.Option(help="The policy whose Triton is used.")] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=addresses),
    ] = None,
) -> None:
    settings = compile_file(config).config.global_ if config else Global()
    outcomes = read(data)
    require()
    queries = list(dict.fromkeys(one.query for one in outcomes))
    known = asyncio.run(_live(settings.services.triton, tuple(triton_url or ()), queries))
    path, tried = train(algorithm, outcomes, known, out)
    console = Console()
    models = len({one.model for one in outcomes})
    said = f"{path}: {len(outcomes)} outcomes of {models} models with {len(queries)} queries"
    console.print(escape(said), highlight=False, soft_wrap=True)
    console.print(escape(told(tried)), highlight=False, soft_wrap=True)


def told(tried: Trial | None) -> str:
    if tried is None:
        return "too few queries that all models answered: what it is worth is not known"
    return (
        f"quality on {tried.requests} unseen queries: {tried.chosen:.3f} chosen,"
        f" {tried.single:.3f} by {tried.name} alone, {tried.highest:.3f} at best"
    )
