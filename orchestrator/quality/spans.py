"""Pieces of texts found against pieces wanted: place and label must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from orchestrator.quality.classes import Score, score

Span = tuple[int, int, str]  # start, stop (exclusive), label
Spans = Sequence[Sequence[Span]]  # of each text


def span_f1(
    found: Sequence[Sequence[Hashable]], wanted: Sequence[Sequence[Hashable]]
) -> tuple[float, float, float]:
    """Precision, recall and F1 of whole spans, over all texts; 0 of nothing."""
    one = span_score(found, wanted)
    return one.precision, one.recall, one.f1


def span_score(found: Sequence[Sequence[Hashable]], wanted: Sequence[Sequence[Hashable]]) -> Score:
    """The same; the support is how many are wanted. A span twice in one text is wrong once."""
    hits = sum(len(set(f) & set(w)) for f, w in zip(found, wanted, strict=True))
    return score(hits, sum(map(len, found)), sum(map(len, wanted)))


def by_label(found: Spans, wanted: Spans) -> dict[str, Score]:
    """Of each label that is found or wanted, in alphabetical order."""
    hits: Counter[str] = Counter()
    for some, true in zip(found, wanted, strict=True):
        hits.update(_labels(set(some) & set(true)))
    claimed = Counter(label for some in found for label in _labels(some))
    true_counts = Counter(label for true in wanted for label in _labels(true))
    return {
        label: score(hits[label], claimed[label], true_counts[label])
        for label in sorted({*claimed, *true_counts})
    }


def _labels(spans: Iterable[Span]) -> list[str]:
    return [label for _, _, label in spans]
