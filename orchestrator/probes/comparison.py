"""The ten checks on an answer of /api/v1/eval, as the reference router's runner makes them.

The answer may come from any router, so its types are taken as found: whatever is missing or of
another shape counts as empty and fails the check that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from orchestrator.config.problems import nearest
from orchestrator.probes.load import Probe
from orchestrator.probes.schema import Match, Signals

Check = Literal[
    "decision",
    "model",
    "recipe",
    "algorithm",
    "plugins",
    "signals",
    "alias",
    "trace",
    "signal_errors",
    "selection",
]
SignalName = tuple[str, str]  # key of matched_signals, rule
Answer = Mapping[str, Any]
T = TypeVar("T", str, SignalName)

# What a selection may say, by algorithm (spec/conformance.md 11.1). One that picks a model says
# which; one that calls several may know the last; `confidence` never knows before it has run.
PICKED = frozenset({"selected", "execution_required"})
PLANNED = frozenset({"planned_final", "execution_required"})
STATUSES = {
    "static": PICKED,
    "multi_factor": PICKED,
    "latency_aware": PICKED,
    "workflows": PLANNED,
    "fusion": PLANNED,
    "remom": PLANNED,
    "confidence": frozenset({"execution_required"}),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that failed."""

    check: Check
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class SignalDifference:
    missing: tuple[SignalName, ...] = ()  # expected, not matched
    forbidden: tuple[SignalName, ...] = ()  # matched, must not
    unexpected: tuple[SignalName, ...] = ()  # matched, not named by an exact list

    def __bool__(self) -> bool:
        return bool(self.missing or self.forbidden or self.unexpected)


@dataclass(frozen=True, slots=True)
class Comparison:
    findings: tuple[Finding, ...]
    signals: SignalDifference

    @property
    def failed(self) -> frozenset[Check]:
        return frozenset(finding.check for finding in self.findings)


def compare(probe: Probe, answer: Answer, decisions: frozenset[str] | None = None) -> Comparison:
    """`decisions` are the names that the trace must hold, all of them and no other, if known."""
    difference = _signals(probe, answer)
    found = (
        _decision(probe, answer, decisions),
        _model(probe, answer),
        _equal("recipe", probe.decision.expected_recipe, _word(answer, "recipe")),
        _algorithm(probe, answer),
        _plugins(probe, answer),
        _as_finding(difference),
        _alias(probe, answer),
        _trace(probe, answer, decisions),
        _signal_errors(answer),
        _selection(probe, answer),
    )
    return Comparison(tuple(finding for finding in found if finding), difference)


def decision_of(answer: Answer) -> str:
    result = _mapping(answer, "decision_result")
    return _word(answer, "routing_decision") or _word(result, "decision_name")


def matched_signals(answer: Answer) -> frozenset[SignalName]:
    matched = _mapping(_mapping(answer, "decision_result"), "matched_signals")
    return frozenset(
        (str(key), str(name))
        for key, names in matched.items()
        if isinstance(names, list)
        for name in names
    )


def _equal(check: Check, expected: str, actual: str) -> Finding | None:
    return None if expected == actual else Finding(check, expected, actual or "nothing")


def _decision(probe: Probe, answer: Answer, decisions: frozenset[str] | None) -> Finding | None:
    expected, actual = probe.decision.expected_decision, decision_of(answer)
    known = decisions or frozenset(_traced(answer))
    if expected == actual or not known or expected in known:
        return _equal("decision", expected, actual)
    hint = nearest(expected, known)
    said = f"unknown decision {expected!r}" + (f", {hint}" if hint else "")
    return Finding("decision", expected, f"{actual or 'nothing'} ({said})")


def _traced(answer: Answer) -> Iterator[str]:
    trace = answer.get("eval_trace")
    for entry in trace if isinstance(trace, list) else ():
        if isinstance(entry, dict) and _word(entry, "decision_name"):
            yield _word(entry, "decision_name")


def _model(probe: Probe, answer: Answer) -> Finding | None:
    model = probe.decision.model
    return _equal("model", model, _word(answer, "requested_model")) if model else None


def _algorithm(probe: Probe, answer: Answer) -> Finding | None:
    algorithm = probe.decision.expected_algorithm
    actual = _word(_mapping(answer, "decision_result"), "algorithm")
    return _equal("algorithm", algorithm, actual) if algorithm else None


def _plugins(probe: Probe, answer: Answer) -> Finding | None:
    wanted, banned = probe.decision.expected_plugins, probe.decision.forbidden_plugins
    actual = _words(_mapping(answer, "decision_result"), "plugins")
    missing, unexpected, forbidden = _difference(
        wanted, banned, actual, probe.decision.plugin_match
    )
    if not (missing or unexpected or forbidden):
        return None
    return Finding("plugins", _wish(wanted, banned), ", ".join(actual) or "nothing")


def _signals(probe: Probe, answer: Answer) -> SignalDifference:
    missing, unexpected, forbidden = _difference(
        _pairs(probe.expected_signals),
        _pairs(probe.forbidden_signals),
        matched_signals(answer),
        probe.decision.signal_match,
    )
    return SignalDifference(missing, forbidden, unexpected)


def _as_finding(difference: SignalDifference) -> Finding | None:
    if not difference:
        return None
    wrong = [*difference.forbidden, *difference.unexpected]
    expected = _wish(_spoken(difference.missing), _spoken(wrong))
    actual = ", ".join(_spoken(wrong)) or "none of them"
    return Finding("signals", expected, actual)


def _alias(probe: Probe, answer: Answer) -> Finding | None:
    alias, actual = probe.decision.expected_alias, _words(answer, "recommended_models")
    if alias is None or alias in actual:
        return None
    return Finding("alias", alias, ", ".join(actual) or "nothing")


def _trace(probe: Probe, answer: Answer, decisions: frozenset[str] | None) -> Finding | None:
    trace, expected = answer.get("eval_trace"), probe.decision.expected_decision
    if not isinstance(trace, list) or not trace:
        return Finding("trace", "a trace of every decision", "nothing")
    names = [_word(entry, "decision_name") if isinstance(entry, dict) else "" for entry in trace]
    if "" in names:
        return Finding("trace", "a decision_name in every entry", f"none in {names.index('')}")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        return Finding("trace", "each decision once", f"more than once: {', '.join(repeated)}")
    if not any(
        name == expected and entry.get("matched") for name, entry in zip(names, trace, strict=True)
    ):
        return Finding("trace", f"{expected} matched", "it did not")
    if decisions is not None and decisions != set(names):
        return Finding("trace", ", ".join(sorted(decisions)), ", ".join(sorted(names)))
    return None


def _signal_errors(answer: Answer) -> Finding | None:
    errors = answer.get("signal_errors")
    return Finding("signal_errors", "none", str(errors)) if errors else None


def _selection(probe: Probe, answer: Answer) -> Finding | None:
    """The status that the algorithm can have, the method that it is, and no invented model."""
    algorithm = probe.decision.expected_algorithm
    if algorithm is None:
        return None
    method, status = _word(answer, "selection_method"), _word(answer, "selection_status")
    model, candidates = _word(answer, "selected_model"), _words(answer, "recommended_models")
    methods = {algorithm, "single"} if algorithm == "static" else {algorithm}
    allowed = STATUSES.get(algorithm)
    if not status or (allowed is not None and status not in allowed):
        wanted = " or ".join(sorted(allowed)) if allowed else "a status"
        return Finding("selection", f"status {wanted}", f"status {status or 'missing'}")
    if method not in methods:
        return Finding("selection", f"method {algorithm}", f"method {method or 'missing'}")
    if status in ("selected", "planned_final") and not model:
        return Finding("selection", f"a model, as it is {status}", "none")
    if status == "selected" and model not in candidates:
        return Finding("selection", f"one of {', '.join(candidates)}", model)
    if status == "execution_required" and model:
        return Finding("selection", "no model before it has run", model)
    return None


def _difference(
    expected: Iterable[T], forbidden: Iterable[T], actual: Iterable[T], match: Match
) -> tuple[tuple[T, ...], tuple[T, ...], tuple[T, ...]]:
    """Missing, unexpected (of an exact list only), forbidden; each sorted."""
    wanted, banned, found = set(expected), set(forbidden), set(actual)
    surplus = found - wanted if match == "exact" else set()
    return tuple(sorted(wanted - found)), tuple(sorted(surplus)), tuple(sorted(banned & found))


def _wish(wanted: Iterable[str], banned: Iterable[str]) -> str:
    return ", ".join([*wanted, *(f"not {name}" for name in banned)])


def _pairs(signals: Signals) -> Iterator[SignalName]:
    for key, names in signals.items():
        for name in names:
            yield key, name


def _spoken(signals: Iterable[SignalName]) -> list[str]:
    return [f"{key}:{name}" for key, name in signals]


def _word(answer: Answer, key: str) -> str:
    return str(answer.get(key) or "").strip()


def _words(answer: Answer, key: str) -> tuple[str, ...]:
    values = answer.get(key)
    return tuple(str(value).strip() for value in values) if isinstance(values, list) else ()


def _mapping(answer: Answer, key: str) -> Answer:
    value = answer.get(key)
    return value if isinstance(value, dict) else {}
