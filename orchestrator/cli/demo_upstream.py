"""Serve an OpenAI-compatible stand-in for vLLM that says which model was asked for.

Example: [bold]tsr demo-upstream --port 8001[/bold]
"""

from typing import Annotated

import typer
from aiohttp import web

from orchestrator import demo
from orchestrator.app.sockets import bind

NAME = "demo-upstream"


def run(
    host: Annotated[str, typer.Option(help="Address to bind.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to bind.")] = 8001,
) -> None:
    web.run_app(demo.application(), sock=bind(host, port), access_log=None)
