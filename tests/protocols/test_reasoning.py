"""Every family, both values of use_reasoning, with and without the client's own wish."""

import pytest

from orchestrator.protocols.reasoning import ReasoningChange, change_reasoning

KWARGS = ("chat_template_kwargs", "enable_thinking")
EFFORT = ("reasoning_effort", "reasoning_effort")
TOP = ("top_level_reasoning_effort", "reasoning_effort")
ON, OFF = True, False


@pytest.mark.parametrize(
    "family, enabled, dialect, client, written",
    [
        # chat_template_kwargs: false is written, never left out
        (KWARGS, ON, "generic", {}, {"chat_template_kwargs": {"enable_thinking": True}}),
        (KWARGS, OFF, "generic", {}, {"chat_template_kwargs": {"enable_thinking": False}}),
        (
            KWARGS,
            OFF,
            "generic",
            {"chat_template_kwargs": {"enable_thinking": True, "custom": 1}},
            {"chat_template_kwargs": {"enable_thinking": False, "custom": 1}},
        ),
        (
            KWARGS,
            ON,
            "generic",
            {"reasoning_effort": "high", "chat_template_kwargs": {"custom": 1}},
            {"chat_template_kwargs": {"enable_thinking": True, "custom": 1}},
        ),
        (
            KWARGS,
            ON,
            "generic",
            {"chat_template_kwargs": None},
            {"chat_template_kwargs": {"enable_thinking": True}},
        ),
        # reasoning_effort
        (EFFORT, ON, "openai", {}, {"reasoning_effort": "medium"}),
        (EFFORT, ON, "openai", {"reasoning_effort": "low"}, {"reasoning_effort": "medium"}),
        (EFFORT, OFF, "openai", {}, {}),
        (EFFORT, OFF, "openai", {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        (EFFORT, ON, "generic", {}, {"chat_template_kwargs": {"reasoning_effort": "medium"}}),
        (EFFORT, OFF, "generic", {}, {"chat_template_kwargs": {"reasoning_effort": "low"}}),
        (
            EFFORT,
            OFF,
            "generic",
            {"reasoning_effort": "high", "chat_template_kwargs": {"custom": 1}},
            {"chat_template_kwargs": {"reasoning_effort": "high", "custom": 1}},
        ),
        # top_level_reasoning_effort
        (TOP, ON, "generic", {}, {"reasoning_effort": "medium"}),
        (TOP, OFF, "generic", {}, {}),
        (TOP, OFF, "generic", {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        (
            TOP,
            ON,
            "generic",
            {"chat_template_kwargs": {"reasoning_effort": "low"}},
            {"reasoning_effort": "medium"},
        ),
        (
            TOP,
            OFF,
            "generic",
            {"chat_template_kwargs": {"reasoning_effort": "low", "custom": 1}},
            {"chat_template_kwargs": {"custom": 1}},
        ),
        # DeepSeek's own server, whatever the family
        (
            KWARGS,
            ON,
            "deepseek",
            {"chat_template_kwargs": {"thinking": False}},
            {"thinking": {"type": "enabled"}, "reasoning_effort": "medium"},
        ),
        (
            EFFORT,
            OFF,
            "deepseek",
            {"reasoning_effort": "high"},
            {"thinking": {"type": "disabled"}},
        ),
    ],
    ids=lambda value: str(value)[:60],
)
def test_family(family, enabled, dialect, client, written):
    body = {"model": "m", **client}
    change = ReasoningChange(family[0], family[1], enabled, dialect=dialect)

    change_reasoning(body, change)

    assert body == {"model": "m", **written}


def test_nested_values_of_the_client_are_not_changed_in_place():
    kwargs = {"enable_thinking": True, "custom": 1}

    change_reasoning({"chat_template_kwargs": kwargs}, ReasoningChange(*KWARGS, enabled=False))

    assert kwargs == {"enable_thinking": True, "custom": 1}


def test_the_effort_of_the_decision_is_used():
    body = {}

    change_reasoning(body, ReasoningChange(*TOP, enabled=True, effort="high"))

    assert body == {"reasoning_effort": "high"}
