"""The served code of a model in this process: what answering costs without a server.

Two threads around one network, and each takes its share of what waits, up to BATCH: what the same
work costs without a server, not the fastest way to do it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import replace

import numpy as np

from perf.arms import Load, Ready, Seen
from perf.arms.loop import ask_all
from perf.embedding_load import Encode, encoders
from perf.picture_files import Served, served
from perf.requests import Item
from perf.scenario import InProcess

THREADS = 2
BATCH = {"text_embedding": 16, "image_signals": 4}

Work = Callable[[list[Item]], object]


async def start(arm: InProcess, stack: AsyncExitStack) -> Ready:
    work = _work(arm.model)
    pool = ThreadPoolExecutor(THREADS)
    stack.callback(pool.shutdown)
    waiting: asyncio.Queue[tuple[Item, asyncio.Future[None]]] = asyncio.Queue()
    batches: list[int] = []
    loop = asyncio.get_running_loop()

    async def instance() -> None:
        while True:
            taken = [await waiting.get()]
            # Its share of what waits: one that takes all leaves the others idle.
            more = min(waiting.qsize() // THREADS, BATCH[arm.model] - 1)
            taken += [waiting.get_nowait() for _ in range(more)]
            await loop.run_in_executor(pool, work, [item for item, _ in taken])
            batches.append(len(taken))
            for _, done in taken:
                done.set_result(None)

    running = [asyncio.ensure_future(instance()) for _ in range(THREADS)]
    stack.callback(lambda: [one.cancel() for one in running])

    async def ask(item: Item) -> None:
        done = loop.create_future()
        waiting.put_nowait((item, done))
        # An instance that fails would leave everyone waiting.
        await asyncio.wait([done, *running], return_when=asyncio.FIRST_COMPLETED)
        for one in running:
            if one.done():
                one.result()

    async def drive(items: Sequence[Item], load: Load, seconds: float) -> Seen:
        batches.clear()
        seen, _ = await ask_all(ask, items, load, seconds, time.process_time)
        return replace(seen, batch=sum(batches) / len(batches))

    return Ready(drive, "asyncio")


def _work(model: str) -> Work:
    if model == "image_signals":
        return _looker(served())
    (encode,) = encoders(1)
    return _reader(encode)


def _reader(encode: Encode) -> Work:
    return lambda items: encode([item.text for item in items])


def _looker(code: Served) -> Work:
    def look(items: list[Item]) -> object:
        prepare = code.preprocessor
        pictures = [prepare.resized(prepare.decoded(item.picture)) for item in items]
        return code.encoder.encode(np.stack([prepare.scaled(picture) for picture in pictures]))

    return look
