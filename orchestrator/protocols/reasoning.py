"""How each family of models is told to think, or not to (spec/decisions.md 3.6).

Policy owns the reasoning fields of a routed request whose model has a family: what the decision
says replaces what the client wrote, for both values of `use_reasoning`. The client's word
survives where policy has nothing to say: a named (passed-through) model, a model without a
family, and, for effort families with `use_reasoning: false`, the client's own
`reasoning_effort`, since no value of an effort field means "do not think" everywhere. Other
keys of the client's `chat_template_kwargs` always survive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

FamilyType = Literal["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort"]
Dialect = Literal["generic", "openai", "deepseek"]

EFFORT = "reasoning_effort"
KWARGS = "chat_template_kwargs"
UNASKED_EFFORT = "low"  # spec/decisions.md 3.6: what stands for an effort the client never gave


@dataclass(frozen=True, slots=True)
class ReasoningChange:
    """What policy writes into a body.

    `dialect` says how the backend is spoken to: "openai" takes effort at the top level,
    "deepseek" is DeepSeek's own API, "generic" (vLLM and its like) takes template arguments.
    """

    family: FamilyType
    parameter: str  # enable_thinking, thinking, reasoning_effort, ...
    enabled: bool
    effort: str = "medium"
    dialect: Dialect = "generic"


Body = dict[str, Any]


def change_reasoning(body: Body, change: ReasoningChange) -> None:
    """Write `change` into `body`. Nested values are replaced, never changed in place."""
    asked = body.pop(EFFORT, None)
    if change.dialect == "deepseek":
        _deepseek(body, change)
    else:
        _WRITERS[change.family](body, change, asked)


def _deepseek(body: Body, change: ReasoningChange) -> None:
    body.pop(KWARGS, None)
    body["thinking"] = {"type": "enabled" if change.enabled else "disabled"}
    if change.enabled:
        body[EFFORT] = change.effort


def _template(body: Body, change: ReasoningChange, asked: object) -> None:
    _set_kwarg(body, change.parameter, change.enabled)


def _effort(body: Body, change: ReasoningChange, asked: object) -> None:
    if change.dialect == "generic":
        effort = change.effort if change.enabled else asked or UNASKED_EFFORT
        _set_kwarg(body, change.parameter, effort)
    elif change.enabled:
        body[change.parameter] = change.effort
    elif asked is not None:
        body[EFFORT] = asked


def _top_level(body: Body, change: ReasoningChange, asked: object) -> None:
    kwargs = body.get(KWARGS)
    if isinstance(kwargs, dict) and change.parameter in kwargs:
        rest = {name: value for name, value in kwargs.items() if name != change.parameter}
        body[KWARGS] = rest
        if not rest:
            del body[KWARGS]
    effort = change.effort if change.enabled else asked
    if effort is not None:
        body[EFFORT] = effort


def _set_kwarg(body: Body, name: str, value: object) -> None:
    kwargs = body.get(KWARGS)
    body[KWARGS] = {**kwargs, name: value} if isinstance(kwargs, dict) else {name: value}


_WRITERS: dict[str, Callable[[Body, ReasoningChange, Any], None]] = {
    "chat_template_kwargs": _template,
    "reasoning_effort": _effort,
    "top_level_reasoning_effort": _top_level,
}
