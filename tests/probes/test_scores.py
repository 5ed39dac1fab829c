import pytest

from orchestrator.probes.scores import scores_of
from tests.probes.files import ANSWER, a_probe, edited

LEAF = {"node_type": "leaf", "signal_type": "embedding", "signal_name": "law"}
WORD = {"node_type": "leaf", "signal_type": "word", "signal_name": "urgent"}
ANSWERED = {
    "eval_trace.0.root_trace": {"node_type": "AND", "children": [WORD, LEAF]},
    "eval_trace.1.root_trace": LEAF | {"signal_name": "other"},
    "signal_values": {"embedding:law": 0.43217, "embedding:law:best": 0.5, "embedding:other": 0.9},
}


@pytest.mark.parametrize(
    ("answer", "thresholds", "expected"),
    [
        pytest.param({}, {}, (), id="no values"),
        pytest.param({"signal_values": {"embedding:law": 1}}, {}, (), id="no trees"),
        pytest.param({"signal_values": [], "eval_trace": [1]}, {}, (), id="of another shape"),
        pytest.param(ANSWERED, {}, ("embedding:law = 0.432",), id="threshold not known"),
        pytest.param(
            ANSWERED,
            {"embedding:law": 0.5},
            ("embedding:law = 0.432, below its threshold 0.5",),
            id="below",
        ),
        pytest.param(
            ANSWERED,
            {"embedding:law": 0.4},
            ("embedding:law = 0.432, reaches its threshold 0.4",),
            id="reached",
        ),
    ],
)
def test_scores_of_the_expected_decision(answer, thresholds, expected):
    assert scores_of(a_probe(), edited(ANSWER, answer), thresholds) == expected
