"""What the scores of a knowledge base's labels come to (spec/signals.md 2.16). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.config.catalog import KnowledgeBase
from orchestrator.matching.prototypes import DECIMALS


@dataclass(frozen=True, slots=True)
class Standing:
    """Of one text. Outer keys are `label` and `group`; scores are cosines, in [-1, 1]."""

    scores: Mapping[str, Mapping[str, float]]
    matched: Mapping[str, frozenset[str]]
    best: Mapping[str, str]  # lacks `group` where there is none
    metrics: Mapping[str, float]  # a margin lies in [-2, 2]


class Knowledge:
    """A base with the labels that its manifest has."""

    def __init__(self, base: KnowledgeBase, labels: Sequence[str]) -> None:
        self.base = base
        self.labels = tuple(labels)
        groups = {
            name: tuple(label for label in members if label in self.labels)
            for name, members in base.groups.items()
        }
        self.groups = {name: members for name, members in groups.items() if members}

    def names(self, kind: str) -> Collection[str]:
        return self.labels if kind == "label" else self.groups

    def judge(self, scores: Sequence[float]) -> Standing:
        """`scores` are those of the labels, in their order."""
        labels = dict(zip(self.labels, scores, strict=True))
        groups = {
            name: max(labels[label] for label in members) for name, members in self.groups.items()
        }
        limits = self.base.label_thresholds
        high = {name for name, score in labels.items() if score >= self._limit(name, limits)}
        held = {name for name, members in self.groups.items() if high.intersection(members)}
        return Standing(
            {"label": labels, "group": groups},
            {"label": frozenset(high), "group": frozenset(held)},
            {kind: _best(of) for kind, of in (("label", labels), ("group", groups)) if of},
            self._metrics(labels, high, groups),
        )

    def _limit(self, label: str, limits: Mapping[str, float]) -> float:
        return limits.get(label, self.base.threshold)

    def _metrics(
        self, labels: Mapping[str, float], high: Collection[str], groups: Mapping[str, float]
    ) -> dict[str, float]:
        found = {
            "best_score": max(labels.values()),
            "best_matched_score": max((labels[name] for name in high), default=0.0),
        }
        for metric in self.base.metrics:
            if metric.positive_group in groups and metric.negative_group in groups:
                margin = groups[metric.positive_group] - groups[metric.negative_group]
                found[metric.name] = round(margin, DECIMALS)
        return found


def inconsistencies(knowledge: Knowledge) -> Iterator[str]:
    """Names in a base's declaration that its manifest, or its own groups, do not have."""
    base = knowledge.base
    about = f"knowledge base {base.name!r}:"
    for name, members in base.groups.items():
        for label in members:
            if label not in knowledge.labels:
                yield f"{about} the group {name!r} names {label!r}, which is no label of it"
        if not members:
            yield f"{about} the group {name!r} is empty"
    for label in base.label_thresholds:
        if label not in knowledge.labels:
            yield f"{about} label_thresholds names {label!r}, which is no label of it"
    for metric in base.metrics:
        for group in (metric.positive_group, metric.negative_group):
            if group not in base.groups:
                yield f"{about} the metric {metric.name!r} names {group!r}, which is no group of it"


def _best(scores: Mapping[str, float]) -> str:
    return min(scores, key=lambda name: (-scores[name], name))
