"""Results as perf.bench writes them."""

import copy
import json

ARMS = ("in process", "served")
LOADS = ("1 at once", "8 at once")


def row(
    name="short", load="1 at once", arm="served", rate=100.0, spread=0.02, ratio=0.5, **changed
):
    """`spread`: how far the least and most of each figure are from the median, a share."""

    def ends(value):
        return [value * (1 - spread), value * (1 + spread)]

    told = {"input": name, "load": load, "arm": arm, "failures": 0, "batch": 1.5}
    for figure, value in {"requests/s": rate, "p50 ms": 1e3 / rate, "CPU ms": 5.0}.items():
        told |= {figure: value, f"{figure}, least and most": ends(value)}
    told |= {"p95 ms": 2e3 / rate, "p95 ms, least and most": ends(2e3 / rate)}
    ratios = {"requests/s": ratio, "p50": 1 / ratio, "CPU": 1.2}
    told["to the floor"] = ratios
    told["to the floor, least and most"] = {what: ends(value) for what, value in ratios.items()}
    return told | changed


def result(rows=None, **changed):
    every = [row(load=load, arm=arm) for load in LOADS for arm in ARMS]
    told = {
        "about": "What is tried.",
        "date": "2026-11-30",
        "commit": "abc1234",
        "machine": "A processor, 2 cores",
        "load average before": 0.05,
        "rounds": 5,
        "asked by": dict.fromkeys(ARMS, "asyncio"),
        "absent": {},
        "rows": every if rows is None else rows,
    }
    return copy.deepcopy(told | changed)


def written(path, told):
    path.write_text(json.dumps(told))
    return path
