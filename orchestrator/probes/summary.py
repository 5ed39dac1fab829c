"""The results of a probe file, counted and held against what the file accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.probes.runner import Result
from orchestrator.probes.schema import ProbeFile
from orchestrator.probes.tags import classes_of


@dataclass(frozen=True, slots=True)
class Count:
    """`missing` are failures for want of signals that this version does not run."""

    passed: int = 0
    failed: int = 0
    missing: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.missing

    @property
    def rate(self) -> float:
        """Per cent passed, 0..100; what could not be judged has not passed. Nothing run: 100."""
        return 100.0 * self.passed / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class Summary:
    probes: Count
    decisions: Mapping[str, Count]  # by id, in the order of the file
    tags: Mapping[str, Count]  # by the tag's kind: `language` of `language:de`
    shortfalls: tuple[str, ...]  # each demand of the file that is not met, in words

    @property
    def accepted(self) -> bool:
        return not self.shortfalls


def summarise(file: ProbeFile, results: Iterable[Result]) -> Summary:
    results = tuple(results)
    decisions = {
        decision.id: _count(result for result in results if result.probe.decision.id == decision.id)
        for decision in file.decisions
    }
    kinds = sorted({kind for result in results for kind in _kinds(result)})
    tags = {kind: _count(result for result in results if kind in _kinds(result)) for kind in kinds}
    total = _count(results)
    shortfalls = list(_short("probes", total, file.acceptance.min_probe_pass_rate))
    for decision in file.decisions:
        own = decision.robustness.min_pass_rate
        floor = file.acceptance.min_decision_pass_rate if own is None else own
        shortfalls += _short(decision.id, decisions[decision.id], floor)
    for kind, floor in file.coverage.min_tag_pass_rate.items():
        own_kind = [one for one in results if kind in classes_of(one.probe.variant)]
        shortfalls += _short(f"tag {kind}", _count(own_kind), floor)
    return Summary(total, decisions, tags, tuple(shortfalls))


def _short(what: str, count: Count, floor: float) -> list[str]:
    if count.rate >= floor:
        return []
    return [f"{what}: {count.rate:.1f} % passed, {floor:g} % demanded"]


def _kinds(result: Result) -> frozenset[str]:
    return frozenset(tag.split(":")[0] for tag in result.probe.variant.tags)


def _count(results: Iterable[Result]) -> Count:
    statuses = [result.status for result in results]
    passed, failed = statuses.count("pass"), statuses.count("fail")
    return Count(passed, failed, len(statuses) - passed - failed)
