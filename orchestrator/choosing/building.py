"""A decision's selector, or its plan where there is nothing to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from orchestrator.config.decisions import Decision
from orchestrator.errors import NoRoute
from orchestrator.selection import (
    DEFAULT,
    LOOPERS,
    NOTHING,
    SELECTORS,
    WITHOUT_ALGORITHM,
    Contender,
    Selector,
    Surroundings,
    Values,
)
from orchestrator.types import Candidate, Plan


class Choice(NamedTuple):
    """`plan` holds unless there is a `selector`, which then makes one for each request."""

    candidates: tuple[Candidate, ...]
    plan: Plan
    tier: int = 0  # of the decision
    selector: Selector[Any] | None = None


def method_of(decision: Decision) -> str:
    """The algorithm's type, which is also the plan's `method`."""
    return str(decision.algorithm["type"]) if decision.algorithm else WITHOUT_ALGORITHM


def choice_of(
    decision: Decision,
    contenders: Sequence[Contender],
    default: Candidate | None = None,
    around: Surroundings | None = None,
) -> Choice:
    """Who may answer requests of `decision`, and who does; without candidates, the default model.

    Raises NoRoute where there is no default model either, ConfigError for an algorithm that does
    not exist or whose artefact cannot be read.
    """
    candidates = tuple(one.candidate for one in contenders)
    if not candidates:
        return Choice((), _by_default(decision, default), decision.tier)
    method = method_of(decision)
    plan = _settled(method, candidates)
    if plan is not None:
        return Choice(candidates, plan, decision.tier)
    kind, around = SELECTORS[method], around or Surroundings()
    settings = None
    if kind.Settings is not None:
        settings = kind.Settings.model_validate(block_of(decision, method, around))
    selector = kind(method, contenders, settings, around)
    plan = selector.choose(Values())
    return Choice(candidates, plan, decision.tier, None if selector.needs == NOTHING else selector)


def block_of(decision: Decision, method: str, around: Surroundings) -> dict[str, Any]:
    """The settings of the algorithm: the decision's own over those of `global`."""
    own = (decision.algorithm or {}).get(method) or {}
    return {**around.defaults.get(method, {}), **own}


def _settled(method: str, candidates: Sequence[Candidate]) -> Plan | None:
    """The plan that no request changes."""
    if method in LOOPERS:
        reason = f"{method} is not run by this version; the first candidate answers"
        return Plan(candidates[0], method, "execution_required", reason)
    if len(candidates) == 1:
        return Plan(candidates[0], method, reason="the only candidate")
    return None


def _by_default(decision: Decision, default: Candidate | None) -> Plan:
    if default is None:
        raise NoRoute(
            f"decision {decision.name!r} names no model and providers.defaults.default_model"
            " is not set"
        )
    return Plan(default, DEFAULT, reason=f"decision {decision.name!r} names no model")
