import pytest

from orchestrator.probes.comparison import SignalDifference
from orchestrator.probes.differences import SignalState, differing

ANSWER = {
    "decision_result": {
        "matched_signals": {"topics": ["law"], "words": []},
        "unmatched_signals": {"words": ["urgent"], "topics": ["medicine"]},
    },
    "signal_confidences": {"topic": 3, "topic:law": 0.75},
    "signal_values": {"topic:law": 0.8, "topic:medicine": 0.125, "task:proof": 2.5},
    "signals_unknown": {"guard:attack": "inference_timeout"},
}
FAMILIES = {"topics": "topic", "words": "word", "guards": "guard", "tasks": "task"}
THRESHOLDS = {"topic:medicine": 0.5}


@pytest.mark.parametrize(
    ("difference", "state", "said"),
    [
        pytest.param(
            SignalDifference(missing=(("topics", "medicine"),)),
            SignalState("missing", "topics:medicine", "not matched", None, 0.125, 0.5),
            "missing topics:medicine: not matched, value 0.125, threshold 0.5",
            id="below its threshold",
        ),
        pytest.param(
            SignalDifference(forbidden=(("topics", "law"),)),
            SignalState("forbidden", "topics:law", "matched", 0.75, 0.8),
            "forbidden topics:law: matched, confidence 0.750, value 0.8",
            id="matched and must not",
        ),
        pytest.param(
            SignalDifference(missing=(("guards", "attack"),)),
            SignalState("missing", "guards:attack", "unknown", reason="inference_timeout"),
            "missing guards:attack: unknown (inference_timeout)",
            id="unknown, with the reason",
        ),
        pytest.param(
            SignalDifference(missing=(("guards", "attack:plain"),)),
            SignalState("missing", "guards:attack:plain", "unknown", reason="inference_timeout"),
            "missing guards:attack:plain: unknown (inference_timeout)",
            id="a leaf falls with its rule",
        ),
        pytest.param(
            SignalDifference(missing=(("words", "urgnt"),)),
            SignalState("missing", "words:urgnt", "no such rule", reason="did you mean 'urgent'?"),
            "missing words:urgnt: no such rule (did you mean 'urgent'?)",
            id="no such rule",
        ),
        pytest.param(
            SignalDifference(unexpected=(("tasks", "proof:hard"),)),
            SignalState("unexpected", "tasks:proof:hard", "not matched", None, 2.5),
            "unexpected tasks:proof:hard: not matched, value 2.5",
            id="a family whose rules the answer does not list",
        ),
    ],
)
def test_states(difference, state, said):
    (found,) = differing(difference, ANSWER, FAMILIES, THRESHOLDS)

    assert found == state
    assert str(found) == said


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"decision_result": [], "signal_values": 3}, id="other types"),
        pytest.param(
            {"decision_result": {"matched_signals": 1}, "signals_unknown": "no"}, id="deeper"
        ),
        pytest.param({"signal_values": {"topic:law": "high"}}, id="a number that is text"),
    ],
)
def test_an_answer_of_another_shape_tells_nothing(answer):
    missing = SignalDifference(missing=(("topics", "law"),))

    assert differing(missing, answer, FAMILIES, {}) == (
        SignalState("missing", "topics:law", "not matched"),
    )
