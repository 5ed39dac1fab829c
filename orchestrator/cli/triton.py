"""Run a Triton with the policy's models and the router as one of them: `semantic_router`.

Example: [bold]tsr triton --config configs/classifiers.yaml[/bold]

Who has tritonclient, and no HTTP router, sends it a chat request and gets the route (docs/bls.md).
"""

import asyncio
import logging
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.app.fleet import serve_triton
from orchestrator.app.policies import compile_file
from orchestrator.inference.launch import HOST, Front

NAME = "triton"


def run(
    config: Annotated[Path, typer.Option(help="The policy file; its changes are followed.")],
    host: Annotated[str, typer.Option(help="Address to listen at.")] = HOST,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of gRPC.")] = 8001,
    http_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of KServe over HTTP; 0: none.")
    ] = 8000,
    metrics_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of Triton's metrics; 0: none.")
    ] = 8002,
) -> None:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    front = Front(host, http_port or None, metrics_port or None)
    asyncio.run(serve_triton(compile_file(config), config, port, front))
