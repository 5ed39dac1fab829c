"""Times choosing a model, alone on one core: `python -m perf.micro_selection`. Microseconds.

Five candidates, and 1,000 latencies of each; what a model is asked for is not counted.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from orchestrator import selection
from orchestrator.registry import discover
from orchestrator.selection import SELECTORS, Contender, Surroundings, Values
from orchestrator.standing import Percentiles, Standing
from orchestrator.types import Candidate

NAMES = ("a", "b", "c", "d", "e")
BLOCKS = {
    "static": {},
    "router_dc": {},
    "automix": {},
    "hybrid": {},
    "latency_aware": {"tpot_percentile": 90, "ttft_percentile": 90},
    "multi_factor": {},
}


def per_call(call: Callable[[], object], seconds: float = 0.3) -> float:
    """Median microseconds."""
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < 20 or time.perf_counter() < end:
        started = time.perf_counter()
        call()
        samples.append(time.perf_counter() - started)
    return statistics.median(samples) * 1e6


def measure() -> Iterator[tuple[str, float]]:
    discover(selection)
    standing = Standing()
    for number in range(1_000):
        for name in NAMES:
            standing.first_token(name, 0.1 + number % 97 / 100)
            standing.per_token(name, 0.01 + number % 89 / 1000)
    asked = Percentiles(ttft=90, tpot=90)
    yield "observe a latency", per_call(partial(standing.per_token, "a", 0.05))
    yield "records of five", per_call(partial(standing.records, NAMES, "d", asked))
    contenders = [
        Contender(Candidate(name), name, quality=0.5 + at / 10, price=at, weight=1)
        for at, name in enumerate(NAMES)
    ]
    values = Values(
        session="s",
        cosines={name: 0.1 * at for at, name in enumerate(NAMES)},
        standing=standing.records(NAMES, "d", asked),
    )
    for method, block in BLOCKS.items():
        kind = SELECTORS[method]
        settings = kind.Settings.model_validate(block) if kind.Settings else None
        chooser = kind(method, contenders, settings, Surroundings())
        yield f"choose by {method}", per_call(partial(chooser.choose, values))


def main() -> None:
    for name, microseconds in measure():
        print(f"{name:42} {microseconds:10.1f} us")


if __name__ == "__main__":
    main()
