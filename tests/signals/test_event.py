import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.event import Event, EventRule
from orchestrator.types import Request

PAYMENT = {
    "event_types": ["payment_failed", "transaction_declined"],
    "severities": ["critical", "HIGH"],
    "action_codes": ["TXN_DECLINE"],
    "temporal": True,
}


def matches(row, text):
    signal = Event([EventRule.model_validate({"name": "r"} | row)], Surroundings(FakeInference()))
    return dict(signal.evaluate(Request("auto", text)).matches)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        pytest.param(PAYMENT, "", id="empty"),
        pytest.param(PAYMENT, "payment_failed_twice, highly unknown", id="other words"),
        pytest.param({"severities": ["low"]}, "high", id="another severity"),
        pytest.param({"event_types": ["payment_failed"]}, "critical, now", id="not configured"),
    ],
)
def test_no_event(row, text):
    assert matches(row, text) == {}


@pytest.mark.parametrize(
    ("row", "text", "confidence"),
    [
        pytest.param(PAYMENT, "status: Payment_Failed", 0.625, id="one of four"),
        pytest.param(PAYMENT, "critical: TXN_DECLINE", 0.75, id="two of four"),
        pytest.param(PAYMENT, "payment_failed high txn_decline asap", 1.0, id="all"),
        pytest.param({"severities": ["low"]}, "severity=low", 1.0, id="the only one"),
        pytest.param({"temporal": True}, "this is time-sensitive", 1.0, id="urgency, hyphen"),
        pytest.param({"temporal": True}, "in the critical window", 1.0, id="urgency, two words"),
    ],
)
def test_event(row, text, confidence):
    assert matches(row, text) == {"r": confidence}


def test_the_whole_text_is_read():
    text = "It was fine. " * 90 + "Then an outage. " + "It was fine. " * 220
    assert (1_150 < text.index("outage") < 1_250, len(text) > 4_000) == (True, True)

    assert matches({"event_types": ["outage"]}, text) == {"r": 1.0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({}, "needs one of event_types", id="no criterion"),
        pytest.param({"temporal": False}, "needs one of event_types", id="criterion switched off"),
        pytest.param({"severities": ["fatal"]}, "severities.0\n.*'critical'", id="severity"),
        pytest.param({"event_types": [" "]}, "event_types.0\n", id="blank"),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        EventRule.model_validate({"name": "r"} | row)
