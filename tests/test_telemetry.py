from pathlib import Path

import pytest

from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, Plan, Reading, Route, Verdict

GOLDEN = Path(__file__).parent / "golden" / "metrics.txt"


def a_route(requested: str = "auto", **changes) -> Route:
    values = {
        "requested_model": requested,
        "resolution": "routed",
        "recipe": "default",
        "verdict": Verdict("escalate", 0.75),
        "plan": Plan(Candidate("big", use_reasoning=True, reasoning_effort="high"), "static"),
        "seconds": 0.31,
    }
    return Route(**values | changes)


def lines(telemetry: Telemetry, *, starting: str) -> list[str]:
    text = telemetry.render().decode()
    return [line for line in text.splitlines() if line.startswith(starting)]


def test_text_of_a_day_in_the_life():
    telemetry = Telemetry()
    telemetry.configured(["auto", "big"], version="1.2.3", digest="abc123")
    telemetry.model_checked("text_embedding", trusted=True, cosine=0.9995)
    telemetry.model_checked("image_signals", trusted=False)
    telemetry.model_checked("text_signals", trusted=True, cosine=0.9998, probability=0.0021)
    telemetry.inferred("text_embedding", windows=3, truncated=1, seconds=0.008)
    asked = {"domain": 2, "pii": 1}
    telemetry.inferred("text_signals", 2, 0, 0.008, texts=2, tasks=asked)
    telemetry.saw("image_signals", 0.02, refused=False)
    telemetry.saw("image_signals", 0.001, refused=True)
    telemetry.triton_restarted()
    telemetry.received()
    telemetry.received()
    telemetry.signal("words", 0.0002, Reading(matches={"urgent": None}))
    telemetry.signal("topic", 0.3, Reading(unknown={"law": "inference_timeout"}, truncated=True))
    telemetry.routed(a_route(tier=2))
    telemetry.decided(0.00004)
    telemetry.forwarded("big")
    telemetry.failed_over("big", "upstream_timeout")
    telemetry.first_byte("big", 0.05)
    telemetry.answered("big", 200, 2.0)
    telemetry.finished()
    telemetry.failed("big", "upstream_error")
    telemetry.stream_truncated("big")
    telemetry.reloaded("refused", file_in_force=False)

    assert telemetry.render().decode() == GOLDEN.read_text()


def test_a_model_that_no_policy_asks_any_more_has_no_series():
    telemetry = Telemetry()
    telemetry.model_checked("m", trusted=True, cosine=0.9, probability=0.1)
    telemetry.model_checked("n", trusted=True)

    telemetry.left(["m", "never looked at"])

    assert lines(telemetry, starting="tsr_model_") == ['tsr_model_trusted{model="n"} 1.0']


def test_a_new_policy_makes_up_for_one_that_was_refused():
    telemetry = Telemetry()
    telemetry.reloaded("refused", file_in_force=False)

    telemetry.configured(["auto"], version="1", digest="b")
    telemetry.reloaded("applied", file_in_force=True)

    assert lines(telemetry, starting="tsr_config_") == [
        'tsr_config_info{hash="b",version="1"} 1.0',
        'tsr_config_reload_total{outcome="refused"} 1.0',
        'tsr_config_reload_total{outcome="applied"} 1.0',
        "tsr_config_file_in_force 1.0",
    ]


def test_a_family_read_without_its_model_is_counted():
    telemetry = Telemetry()

    telemetry.signal("modality", 0.3, Reading({"AR": None}, failed="inference_timeout"))

    assert lines(telemetry, starting="tsr_signal_unknown_total") == [
        'tsr_signal_unknown_total{reason="inference_timeout",signal_type="modality"} 1.0'
    ]


@pytest.mark.parametrize("name", ["made-up", "", "auto ", "a" * 10_000])
def test_a_name_from_a_client_never_becomes_a_label(name):
    telemetry = Telemetry(["auto"])

    telemetry.forwarded(name)
    telemetry.failed(name, "model_not_found")
    telemetry.routed(a_route(name))

    text = telemetry.render().decode()
    assert 'llm_model_requests_total{model="other"} 1.0' in text
    assert 'llm_request_errors_total{model="other",reason="model_not_found"} 1.0' in text
    assert f'source_model="{name}"' not in text


def test_a_new_policy_replaces_the_old_one_and_keeps_the_counts():
    telemetry = Telemetry()
    telemetry.configured(["old"], version="1", digest="aa")
    telemetry.forwarded("old")

    telemetry.configured(["new"], version="1", digest="bb")
    telemetry.forwarded("old")
    telemetry.forwarded("new")

    assert lines(telemetry, starting="tsr_config_info") == [
        'tsr_config_info{hash="bb",version="1"} 1.0'
    ]
    assert lines(telemetry, starting="llm_model_requests_total") == [
        'llm_model_requests_total{model="old"} 1.0',
        'llm_model_requests_total{model="other"} 1.0',
        'llm_model_requests_total{model="new"} 1.0',
    ]


@pytest.mark.parametrize(
    ("seconds", "bound"),
    [
        pytest.param(0.0, "0.025", id="zero is in the first bucket"),
        pytest.param(0.025, "0.025", id="a bound is inside"),
        pytest.param(0.0250001, "0.05", id="just above a bound"),
        pytest.param(600.0, "600.0", id="the last bound"),
        pytest.param(601.0, "+Inf", id="above all bounds"),
    ],
)
def test_buckets_are_cumulative_and_closed_above(seconds, bound):
    telemetry = Telemetry(["m"])
    telemetry.answered("m", 200, seconds)

    buckets = lines(telemetry, starting="llm_model_completion_latency_seconds_bucket")
    filled = [line for line in buckets if line.endswith(" 1.0")]

    assert f'le="{bound}"' in filled[0]
    assert filled == buckets[-len(filled) :]


@pytest.mark.parametrize(
    ("plan", "enabled", "effort"),
    [
        pytest.param(Plan(Candidate("big"), "static"), "false", "", id="not asked"),
        pytest.param(
            Plan(Candidate("big", reasoning_effort="high"), "static"),
            "false",
            "",
            id="an effort without reasoning is not counted as one",
        ),
        pytest.param(
            Plan(Candidate("big", use_reasoning=True), "static"), "true", "", id="default effort"
        ),
    ],
)
def test_reasoning_labels(plan, enabled, effort):
    telemetry = Telemetry(["big"])
    telemetry.routed(a_route(plan=plan))

    assert lines(telemetry, starting="llm_reasoning_decisions_total") == [
        f'llm_reasoning_decisions_total{{category="escalate",effort="{effort}",'
        f'enabled="{enabled}",model="big"}} 1.0'
    ]


def test_an_adapter_is_the_model_that_answers():
    telemetry = Telemetry(["base", "law-adapter"])
    telemetry.routed(a_route(plan=Plan(Candidate("base", lora="law-adapter"), "static")))

    (line,) = lines(telemetry, starting="llm_model_selection_total")
    assert 'model="law-adapter"' in line


@pytest.mark.parametrize(
    ("status", "reason"),
    [pytest.param(429, "upstream_4xx", id="refused"), pytest.param(503, "upstream_5xx", id="down")],
)
def test_an_error_of_the_backend_is_no_completion(status, reason):
    telemetry = Telemetry(["m"])

    telemetry.answered("m", status, 0.1)

    assert lines(telemetry, starting="llm_model_completion_latency_seconds") == []
    assert lines(telemetry, starting="llm_request_errors_total") == [
        f'llm_request_errors_total{{model="m",reason="{reason}"}} 1.0'
    ]


def test_no_decision_is_an_evaluation_without_a_match():
    telemetry = Telemetry()
    telemetry.decided(0.001)
    telemetry.routed(a_route(verdict=None, plan=Plan(Candidate("big"), "default")))

    assert lines(telemetry, starting="llm_decision_match_total") == []
    assert lines(telemetry, starting="llm_decision_evaluation_total") == [
        "llm_decision_evaluation_total 1.0"
    ]


def test_process_metrics_are_opt_in():
    telemetry = Telemetry()
    assert lines(telemetry, starting="process_") == []

    telemetry.watch_process()

    assert lines(telemetry, starting="process_resident_memory_bytes")
