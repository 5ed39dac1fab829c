"""python -m build_engines.fleet MODEL [--repository FOLDER]

Writes the config files of a published model in all its forms, those of the steps around its engine,
and what the engine is warmed with, from build_engines/models/<MODEL>.toml. Needs no GPU, no torch
and no build: only `publish` replaces what is served.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from build_engines import publish
from build_engines.errors import BuildError
from build_engines.kinds import job_of

Model = Annotated[str, typer.Argument(help="A file of build_engines/models, without .toml")]
Repository = Annotated[Path | None, typer.Option(help="Instead of model_repository")]


def render(model: Model, repository: Repository = None) -> None:
    """Write a model's config files. Example: python -m build_engines.fleet text_signals"""
    job = job_of(model, repository=repository)
    publish.configure(job)
    print(f"{model}: config files written to {job.target.parent}")


if __name__ == "__main__":
    try:
        typer.run(render)
    except (BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
