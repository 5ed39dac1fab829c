"""configs/images.yaml as users run it: router, embedded Triton, demo upstream."""

from dataclasses import dataclass

import pytest_asyncio

from tests.processes import ROOT, Router, demo_upstream, free_ports, router


@dataclass(frozen=True)
class Images:
    policy: str  # of the router
    router: Router

    async def triton(self) -> str:
        """host:port of its gRPC."""
        _, said = await self.router.ready()
        return str(said["triton"][0]["url"])


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def images(tmp_path_factory):
    """With time for every picture, so that a busy machine tells nothing."""
    (upstream,) = free_ports(1)
    text = (ROOT / "configs" / "images.yaml").read_text()
    text = text.replace("127.0.0.1:8001", f"127.0.0.1:{upstream}")
    policy = text.replace("global:\n", "global:\n  services: {triton: {deadline: 30}}\n")
    async with demo_upstream(upstream), router(policy, tmp_path_factory.mktemp("images")) as one:
        await one.until_serving()
        await one.until_ready()
        yield Images(policy, one)
