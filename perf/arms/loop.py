"""The loop that asks: closed, with so many requests under way, or open, by a Poisson process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from perf.arms import Load, Seen
from perf.requests import Item

Ask = Callable[[Item], Awaitable[float | None]]  # answers seconds to the first byte, where known
Clock = Callable[[], float]
TURNS = 2  # requests for each place of a closed loop, at least
PATIENCE_S = 120.0  # for the last answers


class Wrong(Exception):
    """An answer that is none."""


async def ask_all(
    ask: Ask, items: Sequence[Item], load: Load, seconds: float, cpu: Clock
) -> tuple[Seen, list[float]]:
    """And the latencies in seconds. `cpu` says what the serving processes have used so far."""
    taken, firsts = list[float](), list[float]()
    failures = 0

    async def one(item: Item, due: float) -> None:
        nonlocal failures
        try:
            first = await ask(item)
        except Wrong:
            failures += 1
            return
        taken.append(time.perf_counter() - due)
        if first is not None:
            firsts.append(first)

    used, began = cpu(), time.perf_counter()
    async with asyncio.timeout(seconds + PATIENCE_S):
        if load.at_once:
            await _closed(one, items, load.at_once, seconds)
        else:
            await _open(one, items, load.rate, seconds)
    elapsed = time.perf_counter() - began
    used = cpu() - used
    p50, p95 = np.percentile(taken, (50, 95)) * 1e3 if taken else (float("nan"),) * 2
    seen = Seen(
        rate=len(taken) / elapsed,
        p50_ms=float(p50),
        p95_ms=float(p95),
        cpu_ms=1e3 * used / max(1, len(taken) + failures),
        batch=None,
        failures=failures,
        first_ms=1e3 * float(np.median(firsts)) if firsts else None,
    )
    return seen, taken


async def _closed(
    one: Callable[[Item, float], Awaitable[None]],
    items: Sequence[Item],
    places: int,
    seconds: float,
) -> None:
    end, sent = time.perf_counter() + seconds, 0

    async def place() -> None:
        nonlocal sent
        while (now := time.perf_counter()) < end or sent < TURNS * places:
            sent += 1
            await one(items[sent % len(items)], now)

    await asyncio.gather(*(place() for _ in range(places)))


def gaps(rate: float, seconds: float, seed: int) -> NDArray[np.float64]:
    """Seconds before each request of a Poisson process, as many as `seconds` have on average."""
    return np.random.default_rng(seed).exponential(1 / rate, int(rate * seconds) + 1)


async def _open(
    one: Callable[[Item, float], Awaitable[None]],
    items: Sequence[Item],
    rate: float,
    seconds: float,
) -> None:
    """Latency counts from when a request was due, so that a late loop hides nothing."""
    due = np.cumsum(gaps(rate, seconds, len(items)))
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, after in enumerate(due):
            await asyncio.sleep(max(0.0, start + after - time.perf_counter()))
            group.create_task(_awaited(one, items[number % len(items)], start + float(after)))


async def _awaited(one: Callable[[Item, float], Awaitable[None]], item: Item, due: float) -> None:
    await one(item, due)
