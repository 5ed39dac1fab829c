"""`--triton-url`, checked: a mistyped one would look like a server that is down, for ever."""

import typer

from orchestrator.config.services import grpc_address


def addresses(given: list[str] | None) -> list[str] | None:
    """Each is host:port. BadParameter where one is not."""
    try:
        return None if given is None else [grpc_address(url) for url in given]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
