r"""Compare a live model with its PyTorch reference, preprocessing and encoder apart.

Example: [bold]tsr parity vision_encoder --images pictures[/bold]

Three cosines a picture: end_to_end is the file through the live server; forward_only gives the
live encoder the reference's pixels, so what is off is the encoder; preprocess_only gives the
reference our pixels. known_max_abs is how much KNOWN, how sure the encoder is of what it sees, is
off. Beyond a tolerance the exit status is 1, and one line names what differs: no normalisation,
channels swapped, another filter or order of resizing, mean pooling, half precision that overflows,
or none of these. Without --images, the pictures are those that the model is checked with at start.
Text models are compared on their golden texts, forward_only.

It needs a checkout and the extra `engines`: pip install -e '.\[engines]'.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from orchestrator.app.model_plane import repository_of
from orchestrator.app.policies import compile_file, discover_extensions
from orchestrator.cli.addresses import addresses
from orchestrator.cli.starting import say_models
from orchestrator.config.services import Triton
from orchestrator.config.settings import Global
from orchestrator.errors import InferenceError, RouterError
from orchestrator.inference.picture_goldens import FOLDER
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.labelled.pictures import files

NAME = "parity"
ENGINES = "build_engines.live.subjects"  # needs torch; no part of the wheel
MISSING = 2  # exit status where the extra is not installed
MOST_ROWS = 40  # of the table; the worst ones


class Outcome(Protocol):
    """What `build_engines.live` answers."""

    document: dict[str, Any]  # as --json prints it
    differs: tuple[str, ...]  # sentences; empty: all is within the tolerance


class Subject(Protocol):
    """A model and its reference, loaded."""

    models: tuple[str, ...]  # what Triton has to load
    sees: bool  # pictures; else it reads its own golden texts

    def compare(
        self, url: str, pictures: Mapping[str, bytes], progress: Callable[[int], None]
    ) -> Outcome: ...


@asynccontextmanager
async def _served(settings: Triton, models: tuple[str, ...], url: str | None) -> AsyncIterator[str]:
    """host:port of a server with `models`, whatever they answer: here nothing has to be trusted."""
    remote = [url] if url else list(settings.urls)
    say_models(settings, models, remote)
    if remote:
        yield remote[0]
        return
    server = EmbeddedTriton(repository_of(settings), models)
    try:
        await server.start()
        yield server.url
    finally:
        await server.stop()


async def _compare(
    subject: Subject, settings: Triton, url: str | None, pictures: Mapping[str, bytes]
) -> Outcome:
    async with _served(settings, subject.models, url) as address:
        with Progress(console=Console(stderr=True), transient=True) as bar:
            stage = bar.add_task("comparing", total=len(pictures) or None)
            advance = partial(bar.advance, stage)
            return await asyncio.to_thread(subject.compare, address, pictures, advance)


def show(console: Console, document: Mapping[str, Any]) -> None:
    """The summary, then a row for each picture or text: the worst ones, where there are many."""
    summary: dict[str, dict[str, Any]] = document["summary"]
    vectors = [name for name in summary if "min" in summary[name]]
    found = Table("", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in vectors:
        found.add_column(name, justify="right")
    for figure in ("min", "mean", "max", "max_abs", "known_max_abs"):
        if any(figure in summary[name] for name in vectors):
            found.add_row(figure, *(_figure(summary[name][figure]) for name in vectors))
    console.print(found)
    if off := summary.get("probabilities"):
        console.print(_probabilities(off["max_abs"]))
    rows = document.get("images") or document.get("texts") or []
    worst = sorted(rows, key=lambda row: min(row[name]["cosine"] for name in vectors))
    each = Table("cosine", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in vectors:
        each.add_column(name, justify="right")
    for row in worst[:MOST_ROWS]:
        each.add_row(escape(row["name"]), *(_figure(row[name]["cosine"]) for name in vectors))
    console.print(each)
    if len(rows) > MOST_ROWS:
        console.print(f"[dim]and {len(rows) - MOST_ROWS} that are nearer (--json has all)[/dim]")


def _probabilities(off: Mapping[str, float | None]) -> Table:
    """How much those of each task of a text classifier are off."""
    found = Table("probabilities", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    found.add_column("max_abs", justify="right")
    for task, most in off.items():
        found.add_row(escape(task), _figure(most))
    return found


def _figure(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.7f}"


def told(model: str, outcome: Outcome, as_json: bool) -> None:
    """Print it. Raises RouterError where the model differs from its reference."""
    errors = Console(stderr=True)
    for name, reason in outcome.document.get("refused", {}).items():
        said = f"[yellow]warning[/yellow]: {escape(name)} is not read: {escape(reason)}"
        errors.print(said, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps(outcome.document, indent=2, allow_nan=False))
    else:
        show(Console(), outcome.document)
    if outcome.differs:
        raise RouterError(f"{model} differs from its reference: {'; '.join(outcome.differs)}")


def _engines() -> Any:  # noqa: ANN401 - a module that the type checker of a wheel never sees
    """`build_engines`, or exit status 2 and one line where it or what it needs is absent."""
    try:
        return importlib.import_module(ENGINES)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == ENGINES.partition(".")[0]:
            why = "build_engines, which no wheel has: run it in a checkout of the project"
        else:
            why = f"the extra `engines` ({error.name} is missing): pip install -e '.[engines]'"
    Console(stderr=True).print(
        f"[red]error[/red]: tsr parity needs {escape(why)}", highlight=False, soft_wrap=True
    )
    raise typer.Exit(MISSING)


def _require(repository: Path, model: str) -> None:
    if not (repository / model / "config.pbtxt").is_file():
        found = sorted(path.parent.name for path in repository.glob("*/config.pbtxt"))
        known = ", ".join(found) or "none"
        raise InferenceError(f"the model repository {repository} has no {model}; it has: {known}")


def _address(given: str | None) -> str | None:
    return None if given is None else (addresses([given]) or [given])[0]


def _contents(folder: Path) -> dict[str, bytes]:
    try:
        return {name: path.read_bytes() for name, path in files(folder).items()}
    except OSError as error:
        raise RouterError(f"cannot read {error.filename}: {error.strerror}") from error


def run(
    model: Annotated[str, typer.Argument(help="A model of the repository, as vision_encoder.")],
    images: Annotated[
        Path | None, typer.Option(help="A folder of pictures, read with all below it.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The policy whose Triton and model repository are used.")
    ] = None,
    triton_url: Annotated[
        str | None,
        typer.Option(help="A running Triton. Default: an embedded one.", callback=_address),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Draw how far each is from its reference, as a PNG.")
    ] = None,
) -> None:
    discover_extensions()
    settings = compile_file(config).config.global_ if config else Global()
    triton = settings.services.triton
    repository = repository_of(triton)
    given = None if images is None else _contents(images)
    _require(repository, model)
    engines = _engines()
    Console(stderr=True).print("loading the reference ...", style="dim")
    subject: Subject = engines.subject(model, repository)
    if not subject.sees and given is not None:
        raise typer.BadParameter(f"{model} reads texts", param_hint="--images")
    pictures = given or {}
    if subject.sees and given is None:
        pictures = _contents(repository / IMAGE_SIGNALS / FOLDER)
    outcome = asyncio.run(_compare(subject, triton, triton_url, pictures))
    if picture is not None:
        engines.draw(outcome, picture)
    told(model, outcome, as_json)
