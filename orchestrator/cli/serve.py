"""Run the router: the data plane, the management plane and, unless told of another, a Triton.

Example: [bold]tsr serve --config configs/router.yaml --triton-url triton:8001[/bold]
"""

import logging
from pathlib import Path
from typing import Annotated, Literal

import typer
import uvloop

from orchestrator.app.options import Options
from orchestrator.app.policies import compile_file
from orchestrator.app.serving import serve
from orchestrator.cli.addresses import addresses

NAME = "serve"


def run(
    config: Annotated[Path, typer.Option(help="The policy file.")],
    host: Annotated[
        str | None, typer.Option(help="Data plane address; wins over the file.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Data plane port; wins over the file.")
    ] = None,
    management_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Management port; wins over the file.")
    ] = None,
    triton_url: Annotated[
        list[str] | None,
        typer.Option(
            help="gRPC address of a Triton; repeat for several. Default: an embedded one.",
            callback=addresses,
        ),
    ] = None,
    with_demo_upstream: Annotated[
        bool,
        typer.Option(
            "--with-demo-upstream",
            help="Also serve a stand-in for vLLM where the policy's local backends are.",
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            help="Put a changed policy file in force; without it, SIGHUP and PUT /config/router do."
        ),
    ] = True,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(case_sensitive=False, help="What to log, on stderr."),
    ] = "info",
) -> None:
    logging.basicConfig(
        level=log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    options = Options(
        host=host,
        port=port,
        management_port=management_port,
        triton_urls=tuple(triton_url or ()),
        demo_upstream=with_demo_upstream,
        config=config,
        watch=watch,
    )
    uvloop.run(serve(compile_file(config), options))
