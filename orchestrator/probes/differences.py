"""What a router says of the signals that a probe expected otherwise: state, numbers, reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from orchestrator.config.problems import nearest
from orchestrator.probes.comparison import Answer, SignalDifference, SignalName, matched_signals

Wrong = Literal["missing", "forbidden", "unexpected"]


@dataclass(frozen=True, slots=True)
class SignalState:
    """One signal that differs. `name` is `key:rule`, as the probe file has it.

    `value` and `threshold` are the family's own numbers, `confidence` is 0 to 1; None where the
    answer does not say.
    """

    wrong: Wrong
    name: str
    state: Literal["matched", "not matched", "unknown", "no such rule"]
    confidence: float | None = None
    value: float | None = None
    threshold: float | None = None
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.wrong} {self.name}: {self.said()}"

    def said(self) -> str:
        parts = [f"{self.state} ({self.reason})" if self.reason else self.state]
        if self.confidence is not None:
            parts.append(f"confidence {self.confidence:.3f}")
        if self.value is not None:
            parts.append(f"value {self.value:.4g}")
        if self.threshold is not None:
            parts.append(f"threshold {self.threshold:g}")
        return ", ".join(parts)


def differing(
    difference: SignalDifference,
    answer: Answer,
    families: Mapping[str, str],
    thresholds: Mapping[str, float],
) -> tuple[SignalState, ...]:
    """`families`: key of matched_signals -> family, where they are called differently;
    `thresholds`: by `family:rule`, as far as known.
    """
    return tuple(_states(difference, answer, families, thresholds))


def _states(
    difference: SignalDifference,
    answer: Answer,
    families: Mapping[str, str],
    thresholds: Mapping[str, float],
) -> Iterator[SignalState]:
    matched = matched_signals(answer)
    groups: tuple[tuple[Wrong, tuple[SignalName, ...]], ...] = (
        ("missing", difference.missing),
        ("forbidden", difference.forbidden),
        ("unexpected", difference.unexpected),
    )
    for wrong, signals in groups:
        for key, rule in signals:
            full = f"{families.get(key, key)}:{rule}"
            unknown = _found(answer.get("signals_unknown"), full)
            state: Literal["matched", "not matched", "unknown", "no such rule"] = "not matched"
            reason = ""
            if (key, rule) in matched:
                state = "matched"
            elif unknown is not None:
                state, reason = "unknown", str(unknown)
            elif (others := _declared(answer, key)) and rule not in others:
                state, reason = "no such rule", nearest(rule, others) or ""
            yield SignalState(
                wrong,
                f"{key}:{rule}",
                state,
                _number(_found(answer.get("signal_confidences"), full)),
                _number(_found(answer.get("signal_values"), full)),
                _number(_found(thresholds, full)),
                reason,
            )


def _declared(answer: Answer, key: str) -> frozenset[str]:
    """All rules of a family, as far as the answer names them."""
    result = answer.get("decision_result")
    lists = (
        (result.get(field) or {}).get(key) or ()
        for field in ("matched_signals", "unmatched_signals")
        if isinstance(result, dict) and isinstance(result.get(field) or {}, dict)
    )
    return frozenset(str(name) for names in lists if isinstance(names, list) for name in names)


def _found(table: Any, full: str) -> Any:  # noqa: ANN401 - an answer of any router
    """The entry of `family:rule:level`, or else of its rule."""
    if not isinstance(table, Mapping):
        return None
    return table.get(full, table.get(":".join(full.split(":")[:2])))


def _number(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if good else None  # type: ignore[arg-type]
