import pytest
from pydantic import ValidationError

from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.conversation import Conversation, ConversationRule
from orchestrator.types import Request, Shape

SHAPE = Shape(
    roles={"system": 1, "developer": 3, "user": 2, "assistant": 2, "tool": 4},
    tool_definitions=5,
    assistant_tool_calls=4,
    tool_results=3,
    images=1,
)


def rule(feature, source, role=None, **predicate):
    row = {"name": "rule", "feature": {"type": feature, "source": {"type": source}}}
    if role:
        row["feature"]["source"]["role"] = role
    return row | ({"predicate": predicate} if predicate else {})


def reading(row, shape=SHAPE):
    signal = Conversation([ConversationRule.model_validate(row)], Surroundings(FakeInference()))
    return signal.evaluate(Request("auto", "", shape=shape))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        pytest.param(rule("count", "message"), 10, id="all messages"),
        pytest.param(rule("count", "message", "user"), 2, id="user"),
        pytest.param(rule("count", "message", "developer"), 1, id="developer counts once"),
        pytest.param(rule("count", "message", "non_user"), 8, id="all but user"),
        pytest.param(rule("count", "message", "tool"), 4, id="tool"),
        pytest.param(rule("count", "tool_definition"), 5, id="tools offered"),
        pytest.param(rule("count", "assistant_tool_call"), 4, id="calls"),
        pytest.param(rule("count", "assistant_tool_cycle"), 3, id="results that came back"),
        pytest.param(rule("count", "active_tool_loop"), 0, id="loop"),
        pytest.param(rule("count", "image_content"), 1, id="images"),
        pytest.param(rule("exists", "tool_definition"), 1, id="exists"),
    ],
)
def test_value(row, value):
    assert dict(reading(row).values) == {"rule": value}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(rule("exists", "active_tool_loop"), False, id="exists, not there"),
        pytest.param(rule("count", "message", "user", gte=3), False, id="too few"),
        pytest.param(rule("count", "tool_definition", gt=5), False, id="bound excluded"),
        pytest.param(rule("exists", "image_content"), True, id="exists"),
        pytest.param(rule("count", "message", "user", gte=2, lte=2), True, id="between"),
        pytest.param(rule("count", "active_tool_loop"), True, id="no predicate: always"),
    ],
)
def test_match(row, expected):
    assert dict(reading(row).matches) == ({"rule": 1.0} if expected else {})


def test_active_tool_loop():
    row = rule("exists", "active_tool_loop")

    assert dict(reading(row, Shape(active_tool_loop=True)).matches) == {"rule": 1.0}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param(rule("density", "message"), "feature.type\n", id="unknown feature"),
        pytest.param(rule("count", "words"), "source.type\n", id="unknown source"),
        pytest.param(rule("count", "message", "robot"), "source.role\n", id="unknown role"),
        pytest.param(
            rule("count", "image_content", "user"), "role is for source type message", id="role"
        ),
        pytest.param(rule("exists", "message", gt=1), "takes no predicate", id="exists"),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        ConversationRule.model_validate(row)
