import pytest

from orchestrator.probes.comparison import compare, decision_of
from tests.probes.files import ANSWER, a_probe, edited

EVERY_DECISION = frozenset({"lawyer", "long"})


@pytest.mark.parametrize(
    ("probe", "answer", "failed"),
    [
        pytest.param({}, {}, set(), id="as expected"),
        pytest.param(
            {},
            {"routing_decision": "", "decision_result.decision_name": "lawyer"},
            set(),
            id="the decision is also taken from its result",
        ),
        pytest.param({}, {"routing_decision": "long"}, {"decision"}, id="another decision"),
        pytest.param({"model": "auto"}, {}, set(), id="the model it asked for"),
        pytest.param({"model": "auto"}, {"requested_model": "x"}, {"model"}, id="another model"),
        pytest.param({}, {"requested_model": "x"}, set(), id="it asked for none"),
        pytest.param({}, {"recipe": "legal"}, {"recipe"}, id="another recipe"),
        pytest.param({}, {"recipe": None}, {"recipe"}, id="no recipe"),
        pytest.param(
            {"expected_recipe": "legal"}, {"recipe": "legal"}, set(), id="a recipe of that name"
        ),
        pytest.param(
            {}, {"decision_result.algorithm": "fusion"}, {"algorithm"}, id="another algorithm"
        ),
        pytest.param(
            {"expected_algorithm": None},
            {"decision_result.algorithm": "fusion", "selection_status": ""},
            set(),
            id="no algorithm is expected, so the selection is not looked at",
        ),
        pytest.param({}, {"decision_result.plugins": []}, {"plugins"}, id="a plugin is missing"),
        pytest.param(
            {},
            {"decision_result.plugins": ["system_prompt", "tools"]},
            set(),
            id="more plugins than expected",
        ),
        pytest.param(
            {"plugin_match": "exact"},
            {"decision_result.plugins": ["system_prompt", "tools"]},
            {"plugins"},
            id="more plugins than an exact list",
        ),
        pytest.param(
            {"forbidden_plugins": ["tools"]},
            {"decision_result.plugins": ["system_prompt", "tools"]},
            {"plugins"},
            id="a forbidden plugin",
        ),
        pytest.param(
            {}, {"decision_result.matched_signals": {}}, {"signals"}, id="a signal is missing"
        ),
        pytest.param(
            {},
            {"decision_result.matched_signals.topics": ["cooking"]},
            {"signals"},
            id="a forbidden signal",
        ),
        pytest.param({"signal_match": "exact"}, {}, {"signals"}, id="more than an exact list"),
        pytest.param({}, {"recommended_models": ["small"]}, {"alias", "selection"}, id="no alias"),
        pytest.param({"expected_alias": None}, {}, set(), id="no alias expected"),
        pytest.param({}, {"eval_trace": None}, {"trace"}, id="no trace"),
        pytest.param({}, {"eval_trace": []}, {"trace"}, id="empty trace"),
        pytest.param({}, {"eval_trace.0.decision_name": ""}, {"trace"}, id="nameless in trace"),
        pytest.param({}, {"eval_trace.1": 5}, {"trace"}, id="a number in the trace"),
        pytest.param({}, {"eval_trace.1.decision_name": "lawyer"}, {"trace"}, id="twice in trace"),
        pytest.param({}, {"eval_trace.0.matched": False}, {"trace"}, id="unmatched in the trace"),
        pytest.param({}, {"eval_trace.1": None}, {"trace"}, id="a decision lacks in the trace"),
        pytest.param({}, {"signal_errors": {"t": "x"}}, {"signal_errors"}, id="a signal error"),
        pytest.param({}, {"signal_errors": None}, set(), id="signal errors left out"),
        pytest.param({}, {"selection_status": "failed"}, {"selection"}, id="status"),
        pytest.param({}, {"selection_status": None}, {"selection"}, id="no status"),
        pytest.param({}, {"selection_method": "knn"}, {"selection"}, id="another method"),
        pytest.param({}, {"selection_method": "single"}, set(), id="single is a form of static"),
        pytest.param({}, {"selected_model": ""}, {"selection"}, id="selected, but no model"),
        pytest.param({}, {"selected_model": "x"}, {"selection"}, id="not a candidate"),
        pytest.param(
            {},
            {"selection_status": "execution_required"},
            {"selection"},
            id="a model that cannot be known yet",
        ),
        pytest.param(
            {},
            {"selection_status": "execution_required", "selected_model": ""},
            set(),
            id="the model is left open",
        ),
        pytest.param(
            {"expected_algorithm": "fusion"},
            {"decision_result.algorithm": "fusion", "selection_method": "fusion"},
            {"selection"},
            id="a looper selects nothing",
        ),
        pytest.param(
            {"expected_algorithm": "fusion"},
            {
                "decision_result.algorithm": "fusion",
                "selection_method": "fusion",
                "selection_status": "planned_final",
                "selected_model": "judge",
            },
            set(),
            id="a looper's final model need not be a candidate",
        ),
        pytest.param(
            {"expected_algorithm": "confidence"},
            {
                "decision_result.algorithm": "confidence",
                "selection_method": "confidence",
                "selection_status": "planned_final",
            },
            {"selection"},
            id="a cascade never knows its last model",
        ),
        pytest.param(
            {"expected_algorithm": "novel"},
            {"decision_result.algorithm": "novel", "selection_method": "novel"},
            set(),
            id="an algorithm without a rule may have any status",
        ),
    ],
)
def test_checks(probe, answer, failed):
    comparison = compare(a_probe(**probe), edited(ANSWER, answer), EVERY_DECISION)

    assert comparison.failed == failed
    assert all(finding.expected and finding.actual for finding in comparison.findings)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({}, id="empty"),
        pytest.param({"decision_result": [], "recommended_models": "big"}, id="wrong shapes"),
        pytest.param({"decision_result": {"matched_signals": {"words": "urgent"}}}, id="text"),
        pytest.param({"error": {"code": "X"}}, id="an error body"),
    ],
)
def test_a_strange_answer_fails_every_check_that_it_can(answer):
    failed = compare(a_probe(), answer).failed

    assert failed == {
        "decision",
        "recipe",
        "algorithm",
        "plugins",
        "signals",
        "alias",
        "trace",
        "selection",
    }


def test_the_trace_is_not_held_against_decisions_that_are_not_known():
    assert not compare(a_probe(), edited(ANSWER, {"eval_trace.1": None})).findings


def test_what_differs_is_named():
    answer = edited(
        ANSWER, {"decision_result.matched_signals": {"words": ["polite"], "topics": ["cooking"]}}
    )

    signals = compare(a_probe(signal_match="exact"), answer).signals

    assert signals.missing == (("words", "urgent"),)
    assert signals.forbidden == (("topics", "cooking"),)
    assert signals.unexpected == (("topics", "cooking"), ("words", "polite"))


def test_the_decision_of_an_empty_answer_is_empty():
    assert decision_of({}) == ""


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        pytest.param(None, "unknown decision 'lawyers', did you mean 'lawyer'?", id="by the trace"),
        pytest.param(
            frozenset({"lawyer", "x"}), "did you mean 'lawyer'?", id="by the policy's own names"
        ),
        pytest.param(frozenset({"x"}), "lawyer (unknown decision 'lawyers')", id="nothing near"),
    ],
)
def test_an_expected_decision_that_does_not_exist(decisions, said):
    found = compare(a_probe(expected_decision="lawyers"), ANSWER, decisions)

    assert said in found.findings[0].actual


def test_without_names_a_wrong_decision_is_only_that():
    answer = edited(ANSWER, {"eval_trace": None})

    found = compare(a_probe(expected_decision="lawyers"), answer)

    assert found.findings[0].actual == "lawyer"
