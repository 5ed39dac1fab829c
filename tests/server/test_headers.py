import pytest

from orchestrator.config.decisions import Decision
from orchestrator.server.headers import (
    always,
    clean,
    debug,
    failures,
    overhead,
    reasoning,
    retention,
    routed,
)
from orchestrator.types import Candidate, Facts, Plan, Reading, Route, Verdict

CHOSEN = Candidate("qwen", lora="law", use_reasoning=True)


def route(**changes):
    fields = {
        "requested_model": "auto",
        "resolution": "routed",
        "recipe": "default",
        "verdict": Verdict("legal", 2 / 3),
        "plan": Plan(CHOSEN, "static"),
    }
    return Route(**(fields | changes))


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        pytest.param("inference_timeout", True, id="the server was too slow"),
        pytest.param("text_cut", True, id="a part was not read"),
        pytest.param("not_run", False, id="this version does not run it"),
        pytest.param("unreadable_text", False, id="a script that the model does not read"),
        pytest.param("unsupported_language:de", False, id="a language it reads badly"),
        pytest.param("unfamiliar_image", False, id="a picture of no kind it knows"),
    ],
)
def test_what_lies_in_the_request_is_no_error_of_a_signal(reason, said):
    facts = Facts({"pii": Reading(unknown={"any": reason})})

    assert failures(facts, refusals=False) == ({"pii": reason} if said else {})
    assert failures(facts) == ({} if reason == "not_run" else {"pii": reason})


def test_a_named_model_is_not_described():
    assert routed(route(resolution="passthrough", recipe=None, verdict=None)) == {}


def test_what_was_decided():
    assert routed(route()) == {
        "x-vsr-selected-recipe": "default",
        "x-vsr-selected-decision": "legal",
        "x-vsr-selected-confidence": "0.6667",
        "x-vsr-selected-algorithm": "static",
        "x-vsr-selected-model": "law",
    }


def test_the_default_model_has_no_decision():
    told = routed(route(verdict=None, plan=Plan(Candidate("qwen"), "default")))

    assert told["x-vsr-selected-model"] == "qwen"
    assert "x-vsr-selected-decision" not in told


@pytest.mark.parametrize("method", ["static", "default", "knn"])
def test_the_algorithm_is_the_one_that_ran(method):
    assert routed(route(plan=Plan(CHOSEN, method)))["x-vsr-selected-algorithm"] == method


@pytest.mark.parametrize(
    ("method", "status"),
    [("fusion", "execution_required"), ("knn", "fallback")],
)
def test_an_algorithm_that_did_not_choose_is_not_claimed(method, status):
    told = routed(route(plan=Plan(CHOSEN, method, status)))

    assert told["x-vsr-selected-algorithm"] == "static"


@pytest.mark.parametrize(
    "readings, named",
    [
        ({}, None),
        ({"keyword": Reading({"urgent": None})}, None),
        ({"pii": Reading(unknown={"any": "not_run"})}, None),
        ({"embedding": Reading(unknown={"a": "inference_timeout"})}, "embedding"),
        ({"kb": Reading({"x": 0.9}, unknown={"a": "not_run", "b": "error"})}, "kb"),
        ({"modality": Reading({"AR": None}, failed="inference_timeout")}, "modality"),
        (
            {f: Reading(unknown={"a": "a_new_reason", "b": "error"}) for f in ("domain", "kb")},
            "domain,kb",
        ),
    ],
    ids=[
        "nothing read",
        "all known",
        "not run",
        "unknown",
        "partly",
        "read without its model",
        "several",
    ],
)
def test_families_that_could_not_be_read_are_named(readings, named):
    assert routed(route(facts=Facts(readings))).get("x-tsr-signals-unknown") == named


@pytest.mark.parametrize(
    "sent, told", [(None, {}), (True, "on"), (False, "off")], ids=["nothing", "on", "off"]
)
def test_reasoning_is_what_the_backend_was_told(sent, told):
    assert reasoning(sent) == (told and {"x-vsr-selected-reasoning": told})


def test_debug_lists_every_family_that_matched():
    facts = Facts(
        {
            "keyword": Reading({"urgent": None, "spam": None}),
            "fact_check": Reading({"needs": 0.9}),
            "language": Reading({}),
            "projection": Reading({"hot\r\nx: y": None}),
        }
    )

    assert debug(route(facts=facts), {"keyword": "keywords", "fact_check": "fact-check"}) == {
        "x-vsr-matched-keywords": "urgent,spam",
        "x-vsr-matched-fact-check": "needs",
        "x-vsr-matched-projection": "hot%0D%0Ax: y",
    }


@pytest.mark.parametrize(
    "said, told",
    [
        ({}, {}),
        ({"drop": False, "ttl_turns": 0}, {"drop": "false", "ttl-turns": "0"}),
        (
            {"ttl_turns": 4, "keep_current_model": True, "prefer_prefix_retention": True},
            {"ttl-turns": "4", "keep-current-model": "true", "prefer-prefix": "true"},
        ),
    ],
    ids=["nothing", "explicit no", "all"],
)
def test_retention_is_what_the_decision_says(said, told):
    decision = Decision(name="d", emits=[{"kind": "retention", "retention": said}])

    assert retention(decision) == {f"x-vsr-retention-{name}": v for name, v in told.items()}


@pytest.mark.parametrize(
    "value, cleaned",
    [
        ("plain text, with (signs)", "plain text, with (signs)"),
        ("a\r\nset-cookie: b", "a%0D%0Aset-cookie: b"),
        ("tab\tnul\0", "tab%09nul%00"),
        ("法律", "%E6%B3%95%E5%BE%8B"),
        ("100%", "100%25"),
        ("\ud800", "?"),
        ("", ""),
    ],
    ids=["plain", "injection", "control", "chinese", "percent", "surrogate", "empty"],
)
def test_values_are_safe_in_a_header(value, cleaned):
    assert clean(value) == cleaned


def test_overhead_is_never_negative():
    assert [overhead(0.0012345), overhead(-1e-9)] == ["1.23", "0.00"]


def test_always():
    assert always("error") == {"x-vsr-schema-version": "2", "x-vsr-response-path": "error"}
