"""Serve an OpenAI-compatible stand-in for vLLM that says which model was asked for.

Example: [bold]tsr demo-upstream --port 8001[/bold]
"""

from typing import Annotated

import typer
from aiohttp import web

from orchestrator import demo

NAME = "demo-upstream"


def run(
    host: Annotated[str, typer.Option(help="Address to bind.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to bind.")] = 8001,
) -> None:
    web.run_app(demo.application(), host=host, port=port)
