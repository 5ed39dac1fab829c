"""Put the scenarios of perf/scenarios to their arms, and write what each cell saw.

    python -m perf.bench text [pictures endpoint …] [--rounds N] [--seconds S] [--output FILE]

A cell is one input, one load and one arm. Rounds go through all cells, the arms of one input and
load one after another, and who begins changes. Figures are medians over the rounds; ratios to the
floor are medians of each round's. Results: perf/results/SCENARIO.json.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import uvloop

from orchestrator.errors import ConfigError, ServerStartError
from perf.arms import Load, NotStarted, Ready, Seen, Unavailable
from perf.arms.stage import Stage
from perf.ranges import ranges
from perf.record import circumstances, ratio, write
from perf.requests import items
from perf.scenario import Arm, Scenario, WrongScenario, read

RESULTS = Path(__file__).parent / "results"
REQUESTS = 256  # different ones, each round and input; asked again where a cell needs more
WARMING = 32  # before the first

Cell = tuple[str, Load, str]  # input, load, arm
Cells = dict[Cell, list[Seen]]


async def measure(scenario: Scenario, litellm: Path | None = None) -> dict[str, Any]:
    """The arms that can run here, and what their cells saw. Raises NotStarted, ServerStartError or
    ConfigError where a server does not start; ends those that run, also where it is cancelled.
    """
    async with AsyncExitStack() as stack:
        stage = Stage(stack, scenario.arms, litellm)
        arms: dict[str, Ready] = {}
        absent: dict[str, str] = {}
        for arm in scenario.arms:
            try:
                arms[arm.name] = await stage.ready(arm)
            except Unavailable as reason:
                absent[arm.name] = str(reason)
                print(f"without {arm.name}: {reason}", file=sys.stderr)
        cells = await _rounds(scenario, arms)
    return {
        "asked by": {name: arm.by for name, arm in arms.items()},
        "absent": absent,
        "rows": [row(scenario, cell, cells) for cell in cells],
    }


async def _rounds(scenario: Scenario, arms: Mapping[str, Ready]) -> Cells:
    loads = [Load(at_once=many) for many in scenario.at_once]
    loads += [Load(rate=rate) for rate in scenario.rates]
    cells: Cells = {}
    for turn in range(-1, scenario.rounds):
        for name, mix in scenario.inputs.items():
            asked = items(mix, REQUESTS if turn >= 0 else WARMING, seed=turn + 1)
            here = [arm for arm in scenario.arms_of(name) if arm.name in arms]
            if turn < 0:  # the first requests of a server warm it
                for arm in here:
                    await arms[arm.name].drive(asked, loads[-1], 0.1)
                continue
            for load, arm in product(loads, _turned(here, turn)):
                seen = await arms[arm.name].drive(asked, load, scenario.seconds)
                cells.setdefault((name, load, arm.name), []).append(seen)
            print(f"round {turn + 1} of {scenario.rounds}: {name}", file=sys.stderr)
    return cells


def _turned(arms: Sequence[Arm], turn: int) -> list[Arm]:
    first = turn % len(arms) if arms else 0
    return [*arms[first:], *arms[:first]]


def row(scenario: Scenario, cell: Cell, cells: Cells) -> dict[str, Any]:
    """What is written of one cell."""
    name, load, arm = cell
    runs = cells[cell]
    rates = [seen.rate for seen in runs]
    told: dict[str, Any] = {
        "input": name,
        "load": str(load),
        "arm": arm,
        "requests/s": _rounded(rates),
        "p50 ms": _rounded([seen.p50_ms for seen in runs]),
        "p95 ms": _rounded([seen.p95_ms for seen in runs]),
        "CPU ms": _rounded([seen.cpu_ms for seen in runs]),
        "failures": sum(seen.failures for seen in runs),
        "requests/s, least and most": [round(min(rates), 1), round(max(rates), 1)],
    }
    if all(seen.batch is not None for seen in runs):
        told["batch"] = _rounded([seen.batch or 0.0 for seen in runs])
    if all(seen.first_ms is not None for seen in runs):
        told["first byte p50 ms"] = _rounded([seen.first_ms or 0.0 for seen in runs])
    if why := next((seen.why for seen in reversed(runs) if seen.why), ""):
        told["failed with"] = why
    floor = cells.get((name, load, scenario.floor_of(name) or ""))
    if floor:
        told["to the floor"] = {
            "requests/s": _against(rates, [seen.rate for seen in floor]),
            "p50": _against([seen.p50_ms for seen in runs], [seen.p50_ms for seen in floor]),
            "CPU": _against([seen.cpu_ms for seen in runs], [seen.cpu_ms for seen in floor]),
        }
    return told | ranges(runs, floor or ())


def _against(ours: Sequence[float], floor: Sequence[float]) -> float | None:
    """None where a round has no value: all its requests failed, or it was too short for the clock
    of CPU time, which goes in steps of 10 ms.
    """
    if any(one == 0 or math.isnan(one) for one in [*ours, *floor]):
        return None
    return ratio(ours, floor)


def _rounded(values: Sequence[float]) -> float | None:
    """The median; None where a round has no value, because all its requests failed."""
    return None if any(map(math.isnan, values)) else round(median(values), 2)


async def _until_told(scenario: Scenario, litellm: Path | None) -> dict[str, Any]:
    """`measure`, which SIGTERM cancels too."""
    measuring = asyncio.ensure_future(measure(scenario, litellm))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, measuring.cancel)
    return await measuring


def _run(name: str, scenario: Scenario, litellm: Path | None, output: Path | None) -> None:
    stands = circumstances(scenario.rounds)
    try:
        found = uvloop.run(_until_told(scenario, litellm))
    except (NotStarted, ServerStartError, ConfigError) as error:
        sys.exit(f"{name}: {error}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(f"{name}: interrupted; its servers have ended, and nothing is written")
    path = output or RESULTS / f"{Path(name).stem}.json"
    write(path, {"about": scenario.about} | stands | found)
    print(path)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("scenarios", nargs="+", help="a name in perf/scenarios, or a .yaml file")
    parser.add_argument("--rounds", type=int, help="in place of the scenario's")
    parser.add_argument("--seconds", type=float, help="of a cell, in place of the scenario's")
    parser.add_argument("--litellm", type=Path, metavar="VENV", help="where LiteLLM is installed")
    parser.add_argument("--output", type=Path, help="a file, for one scenario")
    options = parser.parse_args(arguments)
    if options.output and len(options.scenarios) > 1:
        parser.error("--output is for one scenario")
    changed = {"rounds": options.rounds, "seconds": options.seconds}
    changed = {name: value for name, value in changed.items() if value is not None}
    try:
        scenarios = {name: read(name, **changed) for name in options.scenarios}
    except WrongScenario as error:
        parser.error(str(error))
    for name, scenario in scenarios.items():
        _run(name, scenario, options.litellm, options.output)


if __name__ == "__main__":
    main()
