import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from orchestrator.app.fleet import revive
from orchestrator.inference.endpoint import Endpoint
from tests.inference.fake_triton import ABSENT, BUSY, DEAD, FakeTriton, serving


@asynccontextmanager
async def reviving(fake):
    async with serving(fake) as url:
        endpoint = Endpoint(url)
        task = asyncio.create_task(revive(endpoint, 0.001))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await endpoint.close()


class Living(FakeTriton):
    """Refuses an empty request, as a router does; `failures` come before."""

    def __init__(self, *failures):
        super().__init__()
        self.failures = [*failures]
        self.answered = asyncio.Event()

    def _answer(self, request):
        assert request.model_name == "semantic_router"
        self.answered.set()
        return super()._answer(request)


@pytest.mark.parametrize(
    ("failures", "control"),
    [
        pytest.param([], [], id="well"),
        pytest.param([BUSY, BUSY], [], id="busy"),
        pytest.param([DEAD], ["unload", "load"], id="its process died"),
        pytest.param([ABSENT], ["unload", "load"], id="it was unloaded"),
        pytest.param([DEAD, BUSY, DEAD], ["unload", "load"] * 2, id="twice"),
    ],
)
async def test_a_router_that_died_is_loaded_again(failures, control):
    fake = Living(*failures)
    async with reviving(fake):
        await asyncio.wait_for(fake.answered.wait(), 30)

    assert fake.control == control
