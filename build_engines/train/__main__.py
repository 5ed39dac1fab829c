"""python -m build_engines.train adapters|study [TASK …]

Example: python -m build_engines.train adapters domain jailbreak
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from build_engines import tasks
from build_engines.errors import BuildError, SpecError
from build_engines.job import ROOT
from build_engines.tasks import Signals
from build_engines.train import card, run, studies
from build_engines.train.run import Bench

Names = Annotated[list[str] | None, typer.Argument(help="Tasks; all where none is named")]
Depth = Annotated[int | None, typer.Option(help="Instead of the spec's: layers that change")]
Out = Annotated[Path | None, typer.Option(help="Instead of build_engines/adapters")]

app = typer.Typer(help=__doc__, no_args_is_help=False, add_completion=False)


@app.command()
def study(names: Names = None) -> None:
    """What depth and more texts bring, into the cards: trains each task several times."""
    signals = _known(names)
    bench = Bench.of(signals, ROOT)
    for name in names or signals.tasks:
        task, folder = signals.tasks[name], tasks.ADAPTERS / name
        studies.write(bench, name, task, folder)
        card.write(folder, name, task, signals.trunk)


@app.command()
def adapters(names: Names = None, depth: Depth = None, out: Out = None) -> None:
    """Train adapters and write them with their figures. Example: domain --depth 2"""
    signals = _known(names)
    bench = Bench.of(signals, ROOT)
    for name in names or signals.tasks:
        task = signals.tasks[name]
        if depth is not None:
            plan = task.training.model_copy(update={"depth": depth})
            task = task.model_copy(update={"training": plan})
        print(f"{name}: depth {task.training.depth}", flush=True)
        job, report = run.train(bench, name, task)
        folder = (out or tasks.ADAPTERS) / name
        run.save(job, report, folder)
        card.write(folder, name, task, signals.trunk)
        print({key: value for key, value in report.items() if key not in ("slices", "per_label")})


def _known(names: list[str] | None) -> Signals:
    signals = tasks.read()
    if unknown := set(names or ()) - signals.tasks.keys():
        raise SpecError(f"no task {', '.join(sorted(unknown))}; known: {', '.join(signals.tasks)}")
    return signals


def main() -> None:
    try:
        app()
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
