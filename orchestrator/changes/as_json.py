"""The comparison for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from orchestrator.changes.change import Change
from orchestrator.changes.effects import Effects, Matrix, decision, model, reasoning
from orchestrator.changes.report import quoted
from orchestrator.changes.routing import Outcome, Pair


def structure_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [change.as_json() for change in changes]


def effects_json(found: Effects, completion_tokens: int, prompts: bool) -> dict[str, Any]:
    """Every changed request, with the start of its prompt where `prompts`; the matrices whole."""
    return {
        "requests": found.requests,
        "compared": len(found.compared),
        "changed": len(found.changed),
        "decisions": _matrix(found.decisions),
        "models": _matrix(found.models),
        "reasoning": _matrix(found.reasoning),
        "cost": {
            "assumed_completion_tokens": completion_tokens,
            "assumed": found.costs.assumed,
            "currencies": {
                name: {**asdict(money), "percent": money.percent}
                for name, money in found.costs.money.items()
            },
            "unpriced": dict(found.costs.unpriced),
            "mixed_currencies": found.costs.mixed,
        },
        "changes": [_pair(pair, prompts) for pair in found.changed],
        "open": {
            "requests": [pair.id for pair in found.open],
            "surely_same": found.open_same,
            "surely_changed": found.open_surely,
            "changed_if_unmatched": found.open_changed,
            "unknown": dict(found.unknown),
        },
        "unread": [asdict(one) for one in found.unread],
        "not_run_algorithms": dict(found.not_run),
        "unjudged_algorithms": dict(found.fallbacks),
    }


def _matrix(matrix: Matrix) -> list[dict[str, Any]]:
    return [{"old": old, "new": new, "requests": n} for (old, new), n in matrix.items()]


def _pair(pair: Pair, prompts: bool) -> dict[str, Any]:
    quote = {"prompt": quoted(pair.text)} if prompts else {}
    return {
        "id": pair.id,
        **quote,
        "old": _outcome(pair.old),
        "new": _outcome(pair.new),
        "prompt_tokens": pair.prompt_tokens,
        "completion_tokens": pair.completion_tokens,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "decision": decision(outcome),
        "model": model(outcome),
        "reasoning": reasoning(outcome),
        "error": outcome.error,
    }
