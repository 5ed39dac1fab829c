"""Reports as remarks on places of the document, each with the id of its rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from orchestrator.analysis.policy import Policy
from orchestrator.analysis.verdict import Report, Verdict
from orchestrator.config import order
from orchestrator.config.document import Path

# What a rule is about, in a sentence that holds for all of its remarks.
RULES: Mapping[str, str] = MappingProxyType(
    {
        "unreachable-decision": "The conditions of the decision can never come true together.",
        "decision-not-run": "The decision needs a rule that this version does not run.",
        "shadowed-decision": "Where the decision matches, another one always goes before it.",
        "condition-never-holds": "No request meets the condition.",
        "default-always-used": "No decision of the recipe can win.",
        "default-never-used": "Some decision always matches.",
        "guard-fails-open": "What the guard cannot judge goes on to the next decision.",
        "not-analysed": "The analysis did not come to an end.",
    }
)
FEW = 3  # names in a sentence


@dataclass(frozen=True, slots=True)
class Remark:
    rule: str  # of RULES
    path: Path
    message: str
    hint: str | None = None
    severity: Literal["warning", "note"] = "warning"


def remarks(policy: Policy, report: Report) -> Iterator[Remark]:
    """In no order. What `tsr check` says without the analysis is not said again: equal priorities,
    and decisions behind one that has no conditions."""
    unconditional = {d.name for d in policy.decisions if order.always(d)}
    for verdict in report.verdicts:
        yield from _on_decision(verdict, unconditional)
    for one in report.dead:
        said = f"the condition {one.condition} never holds"
        yield Remark("condition-never-holds", one.path, said, _because(one.because))
    yield from _on_default(report, unconditional)
    yield from _on_guards(report)
    left = [verdict for verdict in report.verdicts if verdict.kind == "not_analysed"]
    if left:
        said = f"{len(left)} decision(s) of {report.recipe!r} are not analysed, first"
        said += f" {left[0].decision!r}"
        yield Remark("not-analysed", left[0].path, said, _because(left[0].because), "note")


def _on_decision(verdict: Verdict, unconditional: Iterable[str]) -> Iterator[Remark]:
    name = repr(verdict.decision)
    if verdict.kind == "unreachable":
        said = f"{name} never matches: {_never(verdict.conflict)}"
        yield Remark("unreachable-decision", verdict.path, said + _unless(verdict), _why(verdict))
    elif verdict.kind == "not_run":
        said = f"{name} cannot match in this version: it needs {' and '.join(verdict.conflict)}"
        yield Remark("decision-not-run", verdict.path, said, _why(verdict))
    elif verdict.kind == "shadowed" and not {*verdict.by} <= {*unconditional}:
        before = _listed(verdict.by, "or")
        said = f"{name} never wins: wherever it matches, {before} matches and goes before it"
        hint = "move it up, or narrow what goes before it"
        yield Remark("shadowed-decision", verdict.path, said + _unless(verdict), hint)


def _never(conflict: Sequence[str]) -> str:
    if not conflict:
        return "its tree has no way to hold"
    if len(conflict) == 1:
        return f"{conflict[0]} never holds"
    return f"{' and '.join(conflict)} never come true together"


def _unless(verdict: Verdict) -> str:
    unknown = verdict.unless_unknown
    return f", unless {_listed(unknown, 'or')} is unknown" if unknown else ""


def _on_default(report: Report, unconditional: Iterable[str]) -> Iterator[Remark]:
    if report.default == "always":
        said = f"no decision of {report.recipe!r} can win: the default model answers everything"
        yield Remark("default-always-used", report.path, said)
    elif report.default == "never" and not {*report.covering} <= {*unconditional}:
        said = f"one of {_listed(report.covering, 'or')} always matches while all signals answer:"
        said += " the default model is then never used"
        yield Remark("default-never-used", report.path, said, severity="note")


def _on_guards(report: Report) -> Iterator[Remark]:
    open_ = [verdict for verdict in report.verdicts if verdict.fails_open]
    if open_:
        guards = dict.fromkeys(guard for verdict in open_ for guard in verdict.fails_open)
        names = _listed([repr(verdict.decision) for verdict in open_], "and")
        said = f"{names} rely on {_listed([*guards], 'and')}, which match nothing where they cannot"
        said += " be judged"
        hint = "such a request goes on to the next decision"
        yield Remark("guard-fails-open", open_[0].path, said, hint, "note")


def _why(verdict: Verdict) -> str | None:
    return _because(verdict.because)


def _because(reasons: Sequence[str]) -> str | None:
    return "; ".join(reasons) or None


def _listed(names: Sequence[str], last: Literal["and", "or"]) -> str:
    if len(names) > FEW:
        return f"{', '.join(names[:FEW])} {last} {len(names) - FEW} more"
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""
