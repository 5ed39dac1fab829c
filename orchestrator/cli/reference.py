"""Print every key of a policy with its default, what may stand there and what it is for.

Example: [bold]tsr reference > reference.yaml[/bold]
"""

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.app.policies import discover_extensions
from orchestrator.config.load import text_of
from orchestrator.errors import ConfigError
from orchestrator.reference.policy import reference

NAME = "reference"


def run(
    check: Annotated[
        Path | None, typer.Option(help="Print nothing; fail where this file says anything else.")
    ] = None,
) -> None:
    discover_extensions()
    text = reference()
    if check is None:
        print(text, end="")
    elif text_of(check) != text:
        raise ConfigError(f"{check} is stale: write it anew with `tsr reference > {check}`")
