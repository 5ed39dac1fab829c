"""Times pure code, alone on one core: `python -m perf.micro`. Prints microseconds.

Each policy is mixed AND / OR / NOT trees, nested, over 20 rules in each of 15 families; each
request matches 2 rules of every family, one family in ten is unknown. `worst` is a request for
which no decision holds, so that every tree is evaluated. `load` is from the YAML text of such a
policy to what decides: parsed, checked, compiled.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle

from orchestrator.config.decisions import Decision, Node
from orchestrator.config.settings import Strategy
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading
from perf import large

FAMILIES = tuple(f"family_{i}" for i in range(15))
RULES = tuple(f"rule_{i}" for i in range(20))
SIZES = ((100, 5, 200.0), (1_000, 20, 2_000.0))  # decisions, conditions each, target in us
LOAD = 2e6  # target in us


def leaf(rng: random.Random, families: Sequence[str] = FAMILIES) -> Node:
    node = Node(type=rng.choice(families), name=rng.choice(RULES))
    return Node(operator="NOT", conditions=(node,)) if rng.random() < 0.2 else node


def tree(rng: random.Random, leaves: int, families: Sequence[str] = FAMILIES) -> Node:
    """About `leaves` conditions under a random operator, in groups of at most five."""
    operator = rng.choice(("AND", "OR"))
    if leaves <= 3:
        conditions = tuple(leaf(rng, families) for _ in range(leaves))
        return Node(operator=operator, conditions=conditions)
    pair = (leaf(rng, families), leaf(rng, families))
    inner = Node(operator="OR" if operator == "AND" else "AND", conditions=pair)
    rest = tree(rng, leaves - 3, families)
    return Node(operator=operator, conditions=(leaf(rng, families), inner, rest))


def hopeless(rules: Node) -> Node:
    """Like `rules`, evaluated first, but under a condition that no request meets."""
    never = [Node(type=FAMILIES[0], name=name) for name in ("never", "ever")]
    tried = Node(operator="OR", conditions=(rules, never[0]))
    return Node(operator="AND", conditions=(tried, Node(operator="OR", conditions=tuple(never))))


def policy(rng: random.Random, decisions: int, conditions: int, worst: bool) -> list[Decision]:
    rows = []
    for i in range(decisions):
        rules = hopeless(tree(rng, conditions - 3)) if worst else tree(rng, conditions)
        rows.append(Decision(name=f"decision_{i}", priority=rng.randrange(1_000), rules=rules))
    return rows


def facts(rng: random.Random) -> Facts:
    def reading() -> Reading:
        if rng.random() < 0.1:
            return Reading(unknown=dict.fromkeys(RULES, "timeout"))
        names = rng.sample(RULES, 2)
        return Reading(matches={names[0]: None, names[1]: rng.random()})

    return Facts({family: reading() for family in FAMILIES})


def per_call(
    call: Callable[[Facts], object], requests: Iterator[Facts], seconds: float = 0.4
) -> float:
    """Median microseconds of one call over at least 20 calls."""
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < 20 or time.perf_counter() < end:
        request = next(requests)
        started = time.perf_counter()
        call(request)
        samples.append(time.perf_counter() - started)
    return statistics.median(samples) * 1e6


def measure() -> Iterator[tuple[str, float, float | None]]:
    """What was measured, microseconds, target in microseconds."""
    cases: tuple[tuple[Strategy, bool], ...] = (
        ("priority", False),
        ("confidence", False),
        ("priority", True),
    )
    for decisions, conditions, target in SIZES:
        for strategy, worst in cases:
            rng = random.Random(7)
            rows = policy(rng, decisions, conditions, worst)
            started = time.perf_counter()
            engine = Engine(rows, strategy)
            built = (time.perf_counter() - started) * 1e6
            requests = cycle([facts(rng) for _ in range(50)])
            label = f"{decisions} x {conditions}, {strategy}{', worst' if worst else ''}"
            yield f"decide {label}", per_call(engine.decide, requests), target
            yield f"compile {label}", built, None
        text = large.document(large.trees(partial(of_large, conditions), decisions))
        times = [large.seconds_to_load(text) for _ in range(5)]
        yield f"load {decisions} x {conditions}", statistics.median(times) * 1e6, LOAD


def of_large(conditions: int, rng: random.Random) -> Node:
    return tree(rng, conditions, tuple(large.SIGNALS))


def main() -> None:
    for name, microseconds, target in measure():
        verdict = "" if target is None else f"  target {target:.0f}"
        print(f"{name:42} {microseconds:10.1f} us{verdict}")


if __name__ == "__main__":
    main()
