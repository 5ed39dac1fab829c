"""Least and most of what the rounds of a cell saw: the noise that perf.compare judges by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from perf.arms import Seen


def ranges(runs: Sequence[Seen], floor: Sequence[Seen]) -> dict[str, Any]:
    """To be added to the row of a cell. `floor`: the same rounds of the floor, if there is one.

    A figure that a round has not has no range: a median where all requests failed.
    """
    of = {
        "p50 ms": [seen.p50_ms for seen in runs],
        "p95 ms": [seen.p95_ms for seen in runs],
        "CPU ms": [seen.cpu_ms for seen in runs],
    }
    told: dict[str, Any] = {
        f"{figure}, least and most": _ends(values, 2)
        for figure, values in of.items()
        if not any(map(math.isnan, values))
    }
    pairs = list(zip(runs, floor, strict=True)) if floor else []
    if pairs and all(seen.rate and seen.cpu_ms for pair in pairs for seen in pair):
        told["to the floor, least and most"] = {
            "requests/s": _ends([seen.rate / base.rate for seen, base in pairs], 3),
            "p50": _ends([seen.p50_ms / base.p50_ms for seen, base in pairs], 3),
            "CPU": _ends([seen.cpu_ms / base.cpu_ms for seen, base in pairs], 3),
        }
    return told


def _ends(values: Sequence[float], digits: int) -> list[float]:
    return [round(min(values), digits), round(max(values), digits)]
