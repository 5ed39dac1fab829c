"""Labels found against labels wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orchestrator.quality import Ints


@dataclass(frozen=True, slots=True)
class Score:
    """Of one class, each 0 to 1. A share of nothing is 0."""

    precision: float
    recall: float
    f1: float
    support: int  # how often it is the truth


def confusion(found: Ints, wanted: Ints, classes: int) -> Ints:
    """[wanted, found] -> how often, for labels from 0 to `classes` - 1."""
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (wanted, found), 1)
    return table


def scores(table: Ints) -> tuple[Score, ...]:
    """Of each class of a confusion table."""
    hits, claimed, true = np.diagonal(table), table.sum(0), table.sum(1)
    return tuple(
        score(int(hit), int(claims), int(support))
        for hit, claims, support in zip(hits, claimed, true, strict=True)
    )


def score(hits: int, found: int, wanted: int) -> Score:
    """`hits` are both found and wanted."""
    total = found + wanted
    return Score(
        hits / found if found else 0.0,
        hits / wanted if wanted else 0.0,
        2 * hits / total if total else 0.0,
        wanted,
    )


def accuracy(found: Ints, wanted: Ints) -> float:
    """The share that is right; NaN of nothing."""
    return float((found == wanted).mean()) if len(wanted) else float("nan")


def macro_f1(found: Ints, wanted: Ints, classes: int) -> float:
    """The mean F1 of the classes that occur in `wanted`; NaN of nothing."""
    occurring = [one.f1 for one in scores(confusion(found, wanted, classes)) if one.support]
    return float(np.mean(occurring)) if occurring else float("nan")
