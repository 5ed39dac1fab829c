"""What a model and the validators found in one text, as one list without overlaps."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from orchestrator.matching.personal import Found, Personal

SURE: Final = 0.95  # a validator's score from which the form alone is a proof


def plausible(text: str, spans: Iterable[Found], personal: Personal) -> list[Found]:
    """Without the spans of a model whose own form refutes them: a card with a wrong check digit."""
    return [s for s in spans if personal.valid(s.label, text[s.start : s.stop]) is not False]


def merge(model: Iterable[Found], proved: Iterable[Found]) -> list[Found]:
    """By position, no two overlapping. `proved` are a validator's, apart already. Of two that
    overlap:

    1. A proof (score `SURE` and more) stays.
    2. Of one label, the validator's ends stay, with the higher of the two scores.
    3. Otherwise the higher score stays, then the longer, then the first.
    """
    line = _Line()
    weak = _Line()
    for one in sorted(proved, key=_rank):
        (line if one.score >= SURE else weak).add(one)
    spans = list(model)
    for span in spans:
        for rival in weak.overlapping(span):
            if rival.label == span.label and rival.score < span.score:
                weak.replace(rival, replace(rival, score=span.score))
    # Of one score the validator's comes first, however long the other is.
    ranked = [(-one.score, 0, *_rank(one), one) for one in weak.spans]
    ranked += [(-one.score, 1, *_rank(one), one) for one in spans]
    for *_, one in sorted(ranked, key=lambda row: row[:-1]):
        line.add(one)
    return line.spans


def _rank(span: Found) -> tuple[float, int, int]:
    return -span.score, span.start - span.stop, span.start


def _start(span: Found) -> int:
    return span.start


class _Line:
    """Spans by position that do not overlap."""

    def __init__(self) -> None:
        self.spans: list[Found] = []

    def add(self, span: Found) -> None:
        """Unless something is there."""
        if span.stop > span.start and not self.overlapping(span):
            insort(self.spans, span, key=_start)

    def replace(self, old: Found, new: Found) -> None:
        """With one at the same place."""
        self.spans[self._first(old)] = new

    def overlapping(self, span: Found) -> list[Found]:
        found: list[Found] = []
        for at in range(self._first(span), len(self.spans)):
            one = self.spans[at]
            if one.start >= span.stop:
                break
            found.append(one)
        return found

    def _first(self, span: Found) -> int:
        """The first that ends behind the start of the span."""
        at = bisect_right(self.spans, span.start, key=_start)
        return at - 1 if at and self.spans[at - 1].stop > span.start else at
