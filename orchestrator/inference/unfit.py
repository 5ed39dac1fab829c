"""Why a server does not load a model: its engines may be those of another Triton.

Asked once a failure, over a connection of its own.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
from tritonclient.grpc import service_pb2 as pb
from tritonclient.grpc import service_pb2_grpc

from orchestrator.inference.plans import Place, engines, refusal

ASKED_S = 5.0
# The proxy of the environment is for the outside world, not for the model server.
OPTIONS = (("grpc.enable_http_proxy", 0),)


async def unfit(repository: Path, url: str) -> str:
    """Which engines of `repository` the server at `url` (host:port) cannot run, by its version, and
    the commands that build them again; nothing where there are none, or nothing is known.
    """
    try:
        found = await asyncio.to_thread(lambda: list(engines(repository)))
        here = Place(server=await _version(url)) if found else Place()
    except (grpc.aio.AioRpcError, ValueError):
        return ""
    return "; ".join(said for one in found if (said := refusal(one, here)))


async def _version(url: str) -> str:
    """Triton's own, "2.64.0"."""
    async with grpc.aio.insecure_channel(url, options=OPTIONS) as channel:
        service = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        answer = await service.ServerMetadata(pb.ServerMetadataRequest(), timeout=ASKED_S)
        return str(answer.version)
