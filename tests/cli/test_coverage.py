import asyncio
import json

import pytest

from tests.app.planes import planes

PROBES = """\
schema_version: v1
name: two
coverage: {min_signal_assertion_percent: 33, min_algorithm_assertion_percent: PERCENT}
acceptance: {min_probe_pass_rate: 0, min_decision_pass_rate: 0}
decisions:
  - id: programming
    expected_decision: "programming[/red]"
    expected_algorithm: static
    variants:
      - {id: by_word, query: "Why does python fail?", expected_signals: {keywords: ["code[/x]"]}}
"""
MISSING = [
    "routing.decisions[0].rules: keyword:code[/x] never false",
    "routing.decisions[1].rules: OR never true",
    "routing.decisions[1].rules.conditions[0]: conversation:with_system never true",
    "routing.decisions[1].rules.conditions[1]: context:long never true",
]


@pytest.fixture
def probes(tmp_path):
    def write(percent):
        path = tmp_path / "probes.yaml"
        path.write_text(PROBES.replace("PERCENT", str(percent)))
        return path

    return write


def test_what_no_probe_exercises_is_listed_by_its_path(tsr, probes, policy):
    told = tsr("probe", probes(50), "--config", policy, "--coverage")

    assert told.code == 0, told.out
    assert [line for line in told.out.splitlines() if "never" in line] == MISSING
    assert "asserted: signals 33 % (1/3), algorithms 50 % (1/2)" in told.out
    assert told.err == ""


def test_the_minimums_of_the_file_count_with_coverage_only(tsr, probes, policy):
    without = tsr("probe", probes(51), "--config", policy)
    told = tsr("probe", probes(51), "--config", policy, "--coverage")

    assert (without.code, told.code) == (0, 1)
    assert "not accepted: two: algorithms asserted: 50.0 %, 51 % demanded" in told.out
    assert "coverage" not in without.out


def test_what_the_file_accepts_counts_with_coverage(tsr, probes, policy):
    path = probes(0)
    path.write_text(
        path.read_text().replace("acceptance: {min_probe_pass_rate: 0,", "acceptance: {")
    )
    lenient = tsr("probe", path, "--config", policy, "--coverage")

    assert lenient.code == 0, lenient.out


def test_coverage_as_json(tsr, probes, policy, tmp_path):
    file = tmp_path / "coverage.json"

    told = tsr("probe", probes(51), "--config", policy, "--coverage-json", file)

    written = json.loads(file.read_text())
    assert told.code == 1
    assert written["totals"]["decisions"] == {"covered": 1, "of": 2, "percent": 50.0}
    assert written["not_accepted"] == ["two: algorithms asserted: 50.0 %, 51 % demanded"]


@pytest.mark.parametrize(
    ("options", "lacking"),
    [
        pytest.param(("decisions=50",), [], id="reached"),
        pytest.param(("decisions=50,leaves=0",), [], id="two in one"),
        pytest.param(
            ("decisions=50.1",),
            ["decisions exercised: 50.0 % (1/2), 50.1 % demanded"],
            id="not reached",
        ),
        pytest.param(
            ("leaves=100%", "branches=100"),
            [
                "leaves exercised: 50.0 % (3/6), 100 % demanded",
                "branches exercised: 50.0 % (1/2), 100 % demanded",
            ],
            id="two, neither reached",
        ),
    ],
)
def test_minimums_of_what_is_exercised(tsr, probes, policy, options, lacking):
    minimums = [part for option in options for part in ("--coverage-min", option)]

    told = tsr("probe", probes(0), "--config", policy, *minimums)

    assert told.code == bool(lacking), told.out
    said = [line for line in told.out.splitlines() if line.startswith("not accepted: ")]
    assert said == [f"not accepted: {lack}" for lack in lacking]
    assert "coverage by 1 request" in told.out


@pytest.mark.parametrize("wrong", ["rules=1", "leaves", "leaves=x", "leaves=101", "leaves=nan", ""])
def test_a_minimum_that_is_none(tsr, probes, policy, wrong):
    told = tsr("probe", probes(0), "--config", policy, "--coverage-min", wrong)

    assert told.code == 2
    assert "is n" in told.err


def test_coverage_that_cannot_be_written_is_one_line(tsr, probes, policy, tmp_path):
    told = tsr(
        "probe", probes(0), "--config", policy, "--coverage-json", tmp_path / "no" / "c.json"
    )

    assert told.code == 1
    assert told.lines[-1].startswith("error: cannot write ")


async def test_a_running_router_alone_tells_the_conditions_but_not_the_paths(tsr, probes, policy):
    async with planes(policy.read_text()) as router:
        call = ("probe", probes(50), "--url", router.management_url, "--coverage")
        told = await asyncio.to_thread(tsr, *call)
        known = await asyncio.to_thread(tsr, *call, "--config", policy)

    assert "decisions[briefed].rules.conditions[1]: context:long never true" in told.out
    assert "algorithms asserted: 50 % demanded, and only --config tells of how many" in told.out
    assert (told.code, known.code) == (1, 0)
    assert all(line in known.out for line in MISSING)


def test_as_many_requests_at_a_time_as_asked(tsr, probes, policy):
    assert tsr("probe", probes(0), "--config", policy, "--parallel", 16).code == 0
    assert tsr("probe", probes(0), "--config", policy, "--parallel", 0).code == 2
