"""The loop that asks: closed, with so many requests under way, or open, by a Poisson process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from perf.arms import Load, Seen
from perf.requests import Item

# Answers when the first byte of the body was there, where that is known (`time.perf_counter`).
Ask = Callable[[Item], Awaitable[float | None]]
Clock = Callable[[], float]
One = Callable[[Item, float], Awaitable[None]]  # a request, and when it was due
TURNS = 2  # requests for each place of a closed loop, at least
PATIENCE_S = 120.0  # for the last answers; what has none then has failed


class Wrong(Exception):
    """An answer that is none."""


async def ask_all(
    ask: Ask,
    items: Sequence[Item],
    load: Load,
    seconds: float,
    cpu: Clock,
    patience: float = PATIENCE_S,
) -> tuple[Seen, list[float]]:
    """And the latencies in seconds. `cpu` says what the serving processes have used so far."""
    taken, firsts = list[float](), list[float]()
    asked, why = 0, ""

    async def one(item: Item, due: float) -> None:
        nonlocal asked, why
        asked += 1
        try:
            first = await ask(item)
        except Wrong as error:
            why = str(error)
            return
        taken.append(time.perf_counter() - due)
        if first is not None:
            firsts.append(first - due)

    used, began = cpu(), time.perf_counter()
    try:
        async with asyncio.timeout(seconds + patience) as limit:
            if load.at_once:
                await _closed(one, items, load.at_once, seconds)
            else:
                await _open(one, items, load.rate, seconds)
    except TimeoutError:
        if not limit.expired():
            raise
        why = f"no answer {patience:g} s after the last request"
    elapsed = time.perf_counter() - began
    used = cpu() - used
    p50, p95 = np.percentile(taken, (50, 95)) * 1e3 if taken else (float("nan"),) * 2
    seen = Seen(
        rate=len(taken) / elapsed,
        p50_ms=float(p50),
        p95_ms=float(p95),
        cpu_ms=1e3 * used / asked,
        batch=None,
        failures=asked - len(taken),
        first_ms=1e3 * float(np.median(firsts)) if firsts else None,
        why=why,
    )
    return seen, taken


async def _closed(one: One, items: Sequence[Item], places: int, seconds: float) -> None:
    end, sent = time.perf_counter() + seconds, 0

    async def place() -> None:
        nonlocal sent
        while (now := time.perf_counter()) < end or sent < TURNS * places:
            sent += 1
            await one(items[sent % len(items)], now)

    await asyncio.gather(*(place() for _ in range(places)))


def due_times(rate: float, seconds: float) -> NDArray[np.float64]:
    """Seconds after the start at which requests are due. The same moments every time, so that arms
    are asked alike: those of a Poisson process in which just so many came, which are evenly
    distributed.
    """
    count = max(1, round(rate * seconds))
    return np.sort(np.random.default_rng(0).uniform(0, seconds, count))


async def _open(one: One, items: Sequence[Item], rate: float, seconds: float) -> None:
    """Latency counts from when a request was due, so that a late loop hides nothing."""
    due = due_times(rate, seconds)
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, after in enumerate(due):
            await asyncio.sleep(max(0.0, start + after - time.perf_counter()))
            group.create_task(_awaited(one, items[number % len(items)], start + float(after)))


async def _awaited(one: One, item: Item, due: float) -> None:
    await one(item, due)
