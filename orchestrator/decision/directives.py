"""What a decision says beside its rules and models (spec/decisions.md 3.4), as JSON-ready values.

Annotations go with every explanation. Emits say how long an answer is of use, adaptations how much
learning may change, output contracts what the answer of several models must look like: whoever
acts on one reads it off the Decision; here they are only told, with what is not acted upon.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from orchestrator.config.decisions import CandidateIteration, Decision
from orchestrator.config.effects import Emit
from orchestrator.config.unused import unused


def directives(decision: Decision) -> dict[str, Any]:
    """What the decision sets, by its keys in the file; `not_run`: paths below the decision.

    Retention is given in turns, as it is written, and in seconds.
    """
    said: dict[str, Any] = {
        "annotations": dict(decision.annotations),
        "emits": [_emit(emit) for emit in decision.emits],
        "output_contract": decision.output_contract,
        "output_contract_spec": _set(decision.output_contract_spec),
        "adaptations": _set(decision.adaptations),
        "candidateIterations": [_loop(loop) for loop in decision.candidateIterations],
        "not_run": [problem.path.removesuffix(".type") for problem in unused(decision)],
    }
    return {key: value for key, value in said.items() if value}


def _set(block: BaseModel | None) -> dict[str, Any]:
    return {} if block is None else block.model_dump(mode="json", exclude_unset=True)


def _emit(emit: Emit) -> dict[str, Any]:
    told: dict[str, Any] = emit.retention.model_dump(exclude_none=True)
    if emit.retention.ttl_seconds is not None:
        told["ttl_seconds"] = emit.retention.ttl_seconds
    return {"kind": emit.kind, emit.kind: told}


def _loop(loop: CandidateIteration) -> dict[str, Any]:
    """`adds`: the names that answer, an adapter's before its model's."""
    adds = [ref.lora_name or ref.model for ref in loop.adds]
    return {"variable": loop.variable, "source": loop.source, "adds": adds}
