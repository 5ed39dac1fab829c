"""A TritonInference over fake servers."""

import contextlib

from orchestrator.inference.triton import TritonInference
from tests.inference.fake_triton import serving


@contextlib.asynccontextmanager
async def over(*fakes, **options):
    async with contextlib.AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(serving(fake)) for fake in fakes]
        inference = TritonInference(urls, **options)
        stack.push_async_callback(inference.close)
        yield inference


def asked(fake):
    return [text for batch in fake.batches for text in batch]
