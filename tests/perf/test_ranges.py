from perf.arms import Load, Seen
from perf.bench import row
from perf.result import Row
from perf.scenario import Scenario

LOAD = Load(at_once=8)
TRIED = {
    "about": "What is tried.",
    "at_once": [8],
    "inputs": {"short": [{"tokens": 16}]},
    "arms": [
        {"name": "floor", "kind": "process", "model": "text_embedding", "floor": True},
        {"name": "served", "kind": "triton", "model": "text_embedding"},
    ],
}


def seen(*rates, batch=2.0):
    return [Seen(rate, 1e3 / rate, 2e3 / rate, 4.0, batch, failures=1) for rate in rates]


def measured(cells, **changed):
    """The row of the arm `served`, as written and read again."""
    cells = {("short", LOAD, arm): runs for arm, runs in cells.items()}
    scenario = Scenario.model_validate(TRIED | changed)
    return Row.model_validate(row(scenario, ("short", LOAD, "served"), cells))


def test_a_row_has_medians_their_ranges_and_ratios_of_each_round():
    told = measured({"floor": seen(100, 200, 400), "served": seen(50, 160, 80)})

    assert told.cell == ("short", "8 at once", "served")
    assert (told.rate, told.rate_range) == (80, (50, 160))
    assert (told.p50, told.p50_range) == (12.5, (6.25, 20))
    assert (told.p95, told.p95_range) == (25, (12.5, 40))
    assert (told.cpu, told.cpu_range) == (4, (4, 4))
    assert told.floor == {"requests/s": 0.5, "p50": 2, "CPU": 1}
    assert told.floor_range == {"requests/s": (0.2, 0.8), "p50": (1.25, 5), "CPU": (1, 1)}
    assert (told.failures, told.batch, told.first) == (3, 2, None)


def test_a_row_without_a_floor_has_no_ratios():
    told = measured({"served": seen(50, batch=None)}, arms=TRIED["arms"][1:])

    assert (told.floor, told.floor_range, told.batch) == ({}, {}, None)
    assert told.p50_range == (20, 20)


def test_a_round_whose_requests_all_failed_has_no_ranges_of_times():
    failed = Seen(0.0, float("nan"), float("nan"), 1.0, None, failures=8)

    told = measured({"served": [*seen(50), failed]}, arms=TRIED["arms"][1:])

    assert (told.p50_range, told.p95_range) == (None, None)
    assert (told.rate_range, told.cpu_range) == ((0, 50), (1, 4))
