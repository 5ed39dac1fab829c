"""Real tritonservers with the published models, for all tests of this folder that only ask."""

import pytest_asyncio

from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def triton(tmp_path_factory):
    """host:port of its gRPC."""
    state = tmp_path_factory.mktemp("triton state")  # a path with a space in it
    server = EmbeddedTriton(default_repository(), state_dir=state, exit_timeout_s=1)
    await server.start()
    yield server.url
    await server.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def pictures(tmp_path_factory):
    """A server that looks at pictures and does nothing else: what happens to its processes, and
    what they hold, is counted. By the ensemble's name alone: Triton loads what it is made of.
    """
    state = tmp_path_factory.mktemp("pictures")
    server = EmbeddedTriton(
        default_repository(), [IMAGE_SIGNALS], state_dir=state, exit_timeout_s=1
    )
    await server.start()
    yield server
    await server.stop()
