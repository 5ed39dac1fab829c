"""Thresholds that would suit the labelled texts, as a fragment of a policy.

What a threshold decides upon depends on the task:

- a guard: the risk of a text, where attacks should reach it and other texts not;
- two labels: the probability of the second, the one that says something (needed, not "not needed");
- more labels: each probability of each text, where that of the true label should reach it;
- entities: their scores, for the best F1; for false alarms the highest of a text without any.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orchestrator.labelled.entities import spans
from orchestrator.labelled.examination import Examined
from orchestrator.labelled.figures import table, targets
from orchestrator.labelled.guards import risks
from orchestrator.labelled.thresholds import Served
from orchestrator.quality import Numbers, Truths
from orchestrator.quality.ranking import best_f1, between, f1_from, recall_at, share_from

RATE = 0.01  # of false alarms


@dataclass(frozen=True, slots=True)
class Scores:
    """What a threshold cuts. `missed` are positives that have no score."""

    risk: Numbers
    positive: Truths
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A threshold to reach (>=), and what it gives on these texts."""

    threshold: float
    rate: float  # of false alarms; NaN where there are no negatives
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Proposals:
    """`few_alarms` has at most 1 % of false alarms; None where no threshold can be told."""

    task: str
    path: tuple[str, ...]
    served: float | None
    texts: int
    few_alarms: Proposal | None
    best: Proposal | None
    first: str  # which of the two suits the task: a guard must not cry wolf


def propose(examined: Examined, served: Served) -> Proposals:
    alarms, f1 = _scores(examined), _spans(examined)
    few, best = _few_alarms(alarms), _best(f1)
    guards = bool(examined.task.positive)
    first = "few_alarms" if guards and few or not best else "best"
    report = examined.report
    return Proposals(report.task, served.path, served.value, report.texts, few, best, first)


def fragment(proposals: Sequence[Proposals], sources: Sequence[str]) -> str:
    """YAML, with what it was measured on; empty where there is nothing to propose."""
    tree: dict[str, object] = {}
    for one in proposals:
        if one.best or one.few_alarms:
            block = tree
            for key in one.path[:-1]:
                inner = block.setdefault(key, {})
                assert isinstance(inner, dict)  # settings of a family hold no other family's
                block = inner
            block[one.path[-1]] = one
    if not tree:
        return ""
    head = f"# Proposed by tsr evaluate for {', '.join(sources)}; check it on other texts."
    return "\n".join([head, "global:", *_lines(tree, 1)]) + "\n"


def _lines(tree: Mapping[str, object], depth: int) -> Iterator[str]:
    room = "  " * depth
    for key, value in tree.items():
        if isinstance(value, Proposals):
            chosen = value.few_alarms if value.first == "few_alarms" else value.best
            assert chosen is not None  # `first` is one that there is
            served = "its own default" if value.served is None else f"{value.served:g}"
            yield f"{room}# {value.task}, {value.texts} texts; served now: {served}"
            if value.few_alarms:
                yield f"{room}# {_said(value.few_alarms)}: at most {RATE:.0%} of false alarms"
            if value.best:
                yield f"{room}# {_said(value.best)}: the best F1"
            yield f"{room}{key}: {chosen.threshold!r}"
        elif isinstance(value, dict):
            yield f"{room}{key}:"
            yield from _lines(value, depth + 1)


def _said(one: Proposal) -> str:
    alarms = "unknown" if math.isnan(one.rate) else f"{one.rate:.2%}"
    return f"{one.threshold!r} finds {one.recall:.1%}, false alarms {alarms}, F1 {one.f1:.3f}"


def _scores(examined: Examined) -> Scores:
    task, rows, said = examined.task, examined.rows, examined.said
    if task.spans:
        highest = [max((one.score for one in some.united), default=0.0) for some in said]
        return Scores(np.array(highest), np.array([bool(row.spans) for row in rows]))
    if task.positive:
        columns = [task.labels.index(label) for label in task.positive]
        positive = np.array([row.label in task.positive for row in rows])
        return Scores(risks(said, columns), positive)
    probabilities, wanted = table(said), targets(rows, task)
    if len(task.labels) == 2:
        return Scores(probabilities[:, 1], wanted == 1)
    truths = np.arange(len(task.labels))[None, :] == wanted[:, None]
    return Scores(probabilities.ravel(), truths.ravel())


def _spans(examined: Examined) -> Scores:
    """The same, but for entities each of them."""
    if not examined.task.spans:
        return _scores(examined)
    risk: list[float] = []
    right: list[bool] = []
    for row, said in zip(examined.rows, examined.said, strict=True):
        true = set(row.spans)
        risk += [one.score for one in said.united]
        right += [span in true for span in spans(said.united)]
    wanted = sum(len(set(row.spans)) for row in examined.rows)
    missed = wanted - sum(right)
    return Scores(np.array(risk), np.array(right, dtype=bool), missed)


def _few_alarms(scores: Scores) -> Proposal | None:
    if scores.positive.all() or not scores.positive.any():
        return None
    _, low = recall_at(scores.risk, scores.positive, RATE)
    above = scores.risk[scores.risk > low]
    high = float(above.min()) if len(above) else 1.0
    return _proposal(scores, between(low, high)) if low < high else None


def _best(scores: Scores) -> Proposal | None:
    if not scores.positive.any():
        return None
    _, high = best_f1(scores.risk, scores.positive, scores.missed)
    below = scores.risk[scores.risk < high]
    low = float(below.max()) if len(below) else 0.0
    return _proposal(scores, between(low, high) if low < high else high)


def _proposal(scores: Scores, threshold: float) -> Proposal:
    risk, positive = scores.risk, scores.positive
    found = int((risk[positive] >= threshold).sum())
    recall = found / (int(positive.sum()) + scores.missed)
    rate = share_from(risk[~positive], threshold)
    return Proposal(threshold, rate, recall, f1_from(risk, positive, threshold, scores.missed))
