"""One real tritonserver with the published models, for all tests of this folder."""

import pytest_asyncio

from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def triton(tmp_path_factory):
    """host:port of its gRPC."""
    state = tmp_path_factory.mktemp("triton state")  # a path with a space in it
    server = EmbeddedTriton(default_repository(), state_dir=state)
    await server.start()
    yield server.url
    await server.stop()
