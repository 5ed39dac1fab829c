"""A route as the JSON of /api/v1/eval (spec/http.md 7.2, eval). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from orchestrator.choosing.building import method_of
from orchestrator.decision.directives import directives
from orchestrator.evaluation.unknowns import NOT_RUN
from orchestrator.pipeline import Policy
from orchestrator.projections import explain as explain_projections
from orchestrator.server.headers import failures
from orchestrator.signals import SIGNALS
from orchestrator.types import EMPTY, Candidate, Facts, Plan, Reading, Request, Route

# The final model is known only once the plan has run, so none is named (spec/conformance.md 11.1).
OPEN_ENDED = frozenset({"execution_required", "unavailable", "failed"})


def explain(
    route: Route, policy: Policy, request: Request, asked: str, trace: bool
) -> dict[str, Any]:
    """`asked` is the model name as the caller wrote it; `trace` adds the evaluated trees."""
    answer: dict[str, Any] = {
        "original_text": request.text,
        "requested_model": asked or route.requested_model,
        "recipe": route.recipe,
        "decision_result": _decision_result(route, policy),
        **_selection(route.plan, route.candidates),
        "routing_decision": route.verdict.decision if route.verdict else "",
        "directives": _directives(route, policy),
        "metrics": _metrics(route.facts, policy.weighs),
        "signal_confidences": dict(_confidences(route.facts)),
        "signal_values": dict(_values(route.facts)),
        "signal_errors": failures(route.facts, refusals=False),
        "signals_unknown": _unknown(route.facts, policy.idle),
    }
    if trace:
        answer["eval_trace"] = policy.engine.trace(route.facts)
        answer["projection_trace"] = explain_projections(policy.projections, route.facts)
    return answer


def _directives(route: Route, policy: Policy) -> dict[str, Any]:
    return directives(policy.decisions[route.verdict.decision]) if route.verdict else {}


def _decision_result(route: Route, policy: Policy) -> dict[str, Any]:
    """All of the recipe's rules, sorted into matched and not; a rule that is unknown is neither."""
    readings = route.facts.readings
    matched = {family: list(reading.matches) for family, reading in readings.items()}
    unknown = _unknown(route.facts, policy.idle)
    unmatched = {
        family: [
            name
            for name in names
            if name not in matched.get(family, ()) and f"{family}:{name}" not in unknown
        ]
        for family, names in policy.declared.items()
    }
    verdict = route.verdict
    decision = policy.decisions[verdict.decision] if verdict else None
    used = policy.engine.leaves_of(verdict.decision) if verdict else {}
    return {
        "decision_name": verdict.decision if verdict else "",
        "confidence": float(verdict.confidence) if verdict else 0.0,
        "confidence_measured": verdict.measured if verdict else False,
        "algorithm": method_of(decision) if decision else "",
        "plugins": [plugin.type for plugin in decision.plugins] if decision else [],
        "used_signals": _by_key(used, policy.results),
        "matched_signals": _by_key(matched, policy.results),
        "unmatched_signals": _by_key(unmatched, policy.results),
    }


def _by_key(found: Mapping[str, Iterable[str]], results: Mapping[str, str]) -> dict[str, list[str]]:
    """Every family's key, also of those that found nothing."""
    lists: dict[str, list[str]] = {key: [] for key in results.values()}
    for family, names in found.items():
        lists.setdefault(results.get(family, family), []).extend(names)
    return lists


def _selection(plan: Plan, candidates: tuple[Candidate, ...]) -> dict[str, Any]:
    """`answering_model` is the one that this version asks, also where the plan leaves it open."""
    selected = "" if plan.status in OPEN_ENDED else plan.chosen.name
    recommended = [name for c in candidates for name in (c.model, c.lora) if name]
    return {
        "recommended_models": list(dict.fromkeys(recommended)),
        "selected_model": selected,
        "answering_model": plan.chosen.name,
        "selection_status": plan.status,
        "selection_method": plan.method,
        "selection_reason": plan.reason,
        "selection_confidence": plan.confidence,
        "selection_scores": [
            {"model": candidate.name, "score": score}
            for candidate, score in zip(candidates, plan.scores, strict=False)
        ],
    }


def _metrics(facts: Facts, weighs: Collection[str]) -> dict[str, dict[str, float]]:
    return {
        family: {
            "execution_time_ms": round(facts.seconds.get(family, 0.0) * 1000, 3),
            "confidence": _best(reading, reading.values if family in weighs else EMPTY),
        }
        for family, reading in facts.readings.items()
    }


def _best(reading: Reading, probabilities: Mapping[str, float]) -> float:
    """The highest confidence. A match that has none for decisions, which count it as 1.0, has its
    probability here, where there is one.
    """
    found = (
        probabilities.get(rule, 1.0) if confidence is None else confidence
        for rule, confidence in reading.matches.items()
    )
    return float(max(found, default=0.0))


def probabilities(
    facts: Facts, declared: Mapping[str, Collection[str]]
) -> dict[str, dict[str, float]]:
    """Family -> rule, or `rule:label` -> its probability, matched or not, for the families that
    ask a classifier. `declared`: family -> its rules.
    """
    found: dict[str, dict[str, float]] = {}
    for family, reading in facts.readings.items():
        kind = SIGNALS[family] if family in SIGNALS else None
        if kind is not None and (kind.tasks or kind.labelled):
            rules = declared.get(family, ())
            found[family] = {
                name: float(value)
                for name, value in reading.values.items()
                if kind.labelled or name in rules
            }
    return found


def _confidences(facts: Facts) -> Iterator[tuple[str, float]]:
    for family, reading in facts.readings.items():
        for rule, confidence in reading.matches.items():
            if confidence is not None:
                yield f"{family}:{rule}", float(confidence)


def _values(facts: Facts) -> Iterator[tuple[str, float]]:
    for family, reading in facts.readings.items():
        for key, value in reading.values.items():
            yield f"{family}:{key}", float(value)


def _unknown(facts: Facts, idle: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Reasons by `family:rule`; rules that are never evaluated are listed, whatever the policy
    makes of them.
    """
    unknown = {f"{family}:{rule}": NOT_RUN for family, rules in idle.items() for rule in rules}
    for family, reading in facts.readings.items():
        unknown |= {f"{family}:{rule}": reason for rule, reason in reading.unknown.items()}
    return unknown
