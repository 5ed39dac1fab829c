"""Problems as SARIF 2.1.0, which code hosts show beside the lines of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from orchestrator.analysis.remarks import RULES
from orchestrator.app.serving import DISTRIBUTION
from orchestrator.errors import Problem

VERSION = "2.1.0"
NOTHING: Mapping[str, Any] = MappingProxyType({})
PLAIN = {
    "error": ("policy-error", "The policy file cannot be used."),
    "warning": ("policy-warning", "The policy file can be used; this may not be what was meant."),
    "note": ("policy-note", "Worth knowing."),
}


def sarif(
    problems: Sequence[Problem], file: str, more: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """One run with one result a problem. `file` is named where a problem names none; `more` goes
    into the run's property bag (SARIF 2.1.0, 3.8), which viewers leave alone.
    """
    texts = dict(PLAIN.values()) | dict(RULES)
    ids = [*texts]
    rules = [{"id": id_, "shortDescription": {"text": text}} for id_, text in texts.items()]
    driver = {"name": "tsr", "version": version(DISTRIBUTION), "rules": rules}
    results = [_result(problem, ids, file) for problem in problems]
    run: dict[str, Any] = {"tool": {"driver": driver}, "results": results}
    if more:
        run["properties"] = dict(more)
    return {"version": VERSION, "runs": [run]}


def _result(problem: Problem, ids: Sequence[str], file: str) -> dict[str, Any]:
    rule = problem.rule or PLAIN[problem.severity][0]
    hint = f" ({problem.hint})" if problem.hint else ""
    place: dict[str, Any] = {"artifactLocation": {"uri": (problem.file or file).replace("\\", "/")}}
    if problem.line:
        place["region"] = {"startLine": problem.line}
    location: dict[str, Any] = {"physicalLocation": place}
    if problem.path:
        location["logicalLocations"] = [{"fullyQualifiedName": problem.path}]
    return {
        "ruleId": rule,
        "ruleIndex": ids.index(rule),
        "level": problem.severity,
        "message": {"text": f"{problem.message}{hint}"},
        "locations": [location],
    }
