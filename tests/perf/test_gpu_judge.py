import tomllib

import pytest

from build_engines.gpu import agreement
from perf.gpu_judge import Run, judged
from perf.gpu_load import EXPECTATIONS, records

EXPECTED = tomllib.loads(EXPECTATIONS.read_text(encoding="utf-8"))
STEPS = ("python", "tensorrt_plan", "python")
RUNS = [
    Run(1, 250.0, 4.0, 4.4, 1000),
    Run(20, 2200.0, 9.0, 9.9, 9000),
    Run(32, 1300.0, 4.2, 4.5, 9000),
]
ENGINE = {
    "against_fp32_on_cpu": {
        "rows": 705,
        "least_cosine": 0.999998,
        "labels_equal": {"domain": "705 of 705", "pii": "15864 of 15868"},
    }
}


def found(engines=None, steps=STEPS, runs=RUNS):
    engines = {"text_signals_encoder": ENGINE} if engines is None else engines
    return judged(EXPECTED, engines, steps, runs)


def missed(**changed):
    return [one.what for one in found(**changed) if not one.met]


def test_what_is_expected_is_met():
    assert missed() == []
    assert len(found()) == 8


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        pytest.param({"steps": ()}, ["text_signals is served by"], id="the CPU form"),
        pytest.param({"engines": {}}, ["engines that were compared"], id="no engine"),
        pytest.param(
            {"engines": {"e": {}}}, ["e, least cosine"], id="an engine that was not compared"
        ),
        pytest.param(
            {"runs": [Run(1, 250.0, 5.1, 5.2, 9), *RUNS[1:]]},
            ["p50 of all text signals, 512 tokens, 1 at once"],
            id="slow alone",
        ),
        pytest.param(
            {"runs": [RUNS[0], Run(20, 1.0, 10.1, 12.0, 9), RUNS[2]]},
            ["p50 of all text signals, 512 tokens, 20 at once"],
            id="slow under load",
        ),
        pytest.param(
            {"runs": [*RUNS[:2], Run(32, 1249.0, 4.2, 4.5, 9)]},
            ["texts a second, 32 at once against 1"],
            id="too few texts",
        ),
        pytest.param(
            {"runs": [*RUNS[:2], Run(32, 1300.0, 4.2, 5.0, 9)]},
            ["p95, 32 at once against 1"],
            id="a longer tail",
        ),
        pytest.param(
            {"runs": RUNS[:2]}, ["throughput, 32 at once"], id="what was not measured is missed"
        ),
    ],
)
def test_what_is_not_met_is_named(changed, what):
    assert missed(**changed) == what


@pytest.mark.parametrize(
    ("part", "value", "what"),
    [
        ("least_cosine", 0.9989, "least cosine"),
        ("labels_equal", {"domain": "704 of 705", "pii": "15868 of 15868"}, "labels of texts"),
        ("labels_equal", {"domain": "705 of 705", "pii": "15800 of 15868"}, "labels of tokens"),
    ],
)
def test_an_engine_that_differs_is_named(part, value, what):
    changed = {"against_fp32_on_cpu": ENGINE["against_fp32_on_cpu"] | {part: value}}

    (one,) = missed(engines={"text_signals_encoder": changed})

    assert one.startswith(f"text_signals_encoder, {what}")


def test_the_expectations_are_those_that_the_builder_holds_to():
    assert EXPECTED["agreement"] == {"labels": agreement.LABELS, "cosine": agreement.COSINE}


def test_records_are_read_by_the_names_of_their_engines(tmp_path):
    (tmp_path / "a_encoder").mkdir()
    (tmp_path / "a_encoder" / "engine.json").write_text("{}")

    assert records(tmp_path) == {"a_encoder": {}}
