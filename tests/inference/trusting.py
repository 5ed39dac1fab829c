"""Trust in the model `m`, served by stand-ins for Triton."""

import contextlib

from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.inference.fake_models import TASKS
from tests.inference.fake_triton import serving


@contextlib.asynccontextmanager
async def trusting(repository, *fakes, **options):
    async with contextlib.AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(serving(fake)) for fake in fakes]
        tasks = {"m": TASKS} if (repository / "m" / "labels.json").exists() else {}
        inference = TritonInference(urls, tasks=tasks)
        stack.push_async_callback(inference.close)
        trusted = TrustedInference(inference, repository, ["m"], **options)
        stack.push_async_callback(trusted.stop)
        yield trusted
