"""Which rows train, tune and test: by group, with near-duplicates kept on one side.

What a source fixes stays fixed, unless it would leak: then the row of the less strict split goes.
Written and generated rows move instead: a cluster of them follows the strictest fixed row near it.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from build_engines.data import Example, Split
from build_engines.data.near import pairs

THRESHOLD = 0.65  # Jaccard index of runs of four characters: one short word changed in ten
STRICTNESS: tuple[Split, ...] = ("train", "validation", "test")
TRAIN, VALIDATION = 0.8, 0.1
Links = list[tuple[int, int]]


def drawn(group: str) -> Split:
    """The split of a group that nothing else decides: 80 % train, 10 % validation, 10 % test."""
    part = int.from_bytes(hashlib.sha256(group.encode()).digest()[:8], "big") / 2**64
    if part < TRAIN:
        return "train"
    return "validation" if part < TRAIN + VALIDATION else "test"


def assign(task: str, rows: Sequence[Example]) -> list[Split | None]:
    """The split of each row of a task; None drops the row.

    A row with a split of its own keeps it or is dropped: when it is nearly the same as a row of a
    stricter split (test before validation before train), and then with its whole group. Rows
    without one are clustered by group and nearness; a cluster takes the strictest split that is
    fixed near it, and is drawn by its first group's name otherwise. Raises ValueError for no rows.
    """
    if not rows:
        raise ValueError(f"{task}: no rows")
    links = [*_groups(rows), *_near(rows, THRESHOLD)]
    free = [row.split is None for row in rows]
    parents = _clusters(len(rows), ((i, j) for i, j in links if free[i] and free[j]))
    targets: dict[int, Split] = {}
    for i, j in links:
        for one, other in ((i, j), (j, i)):
            fixed = rows[other].split
            if free[one] and fixed is not None:
                root = parents[one]
                targets[root] = _strictest(targets.get(root), fixed)
    names: dict[int, str] = {}
    for at, row in enumerate(rows):
        names[parents[at]] = min(names.get(parents[at], row.group), row.group)
    placed = [
        row.split or targets.get(parents[at]) or drawn(names[parents[at]])
        for at, row in enumerate(rows)
    ]
    return _without_leaks(rows, placed, links)


def crossings(
    rows: Sequence[Example], splits: Sequence[Split | None], threshold: float = THRESHOLD
) -> list[tuple[int, int]]:
    """Pairs of rows in different splits that share a group or are at least that similar (0 to 1).

    Dropped rows are in no split.
    """
    return sorted(
        {
            (i, j)
            for i, j in (*_groups(rows), *_near(rows, threshold))
            if splits[i] and splits[j] and splits[i] != splits[j]
        }
    )


def _without_leaks(
    rows: Sequence[Example], placed: list[Split], links: Links
) -> list[Split | None]:
    """The splits, None where a fixed row leaks, and for what was made from it."""
    leaking = {
        (rows[loser].group, placed[loser])
        for i, j in links
        if placed[i] != placed[j]
        for loser in (min(i, j, key=lambda at: STRICTNESS.index(placed[at])),)
    }
    return [
        None if (row.group, split) in leaking else split
        for row, split in zip(rows, placed, strict=True)
    ]


def _strictest(one: Split | None, other: Split) -> Split:
    return max(one or other, other, key=STRICTNESS.index)


def _near(rows: Sequence[Example], threshold: float) -> Links:
    return [(int(i), int(j)) for i, j in pairs([row.text for row in rows], threshold)]


def _groups(rows: Sequence[Example]) -> Links:
    """Each group as links: between neighbours of one split, and all its splits' first rows."""
    links: Links = []
    firsts: dict[str, dict[Split | None, int]] = defaultdict(dict)
    for at, row in enumerate(rows):
        first = firsts[row.group].setdefault(row.split, at)
        if first != at:
            links.append((first, at))
    for by_split in firsts.values():
        heads = sorted(by_split.values())
        links.extend((i, j) for n, i in enumerate(heads) for j in heads[n + 1 :])
    return links


def _clusters(count: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """For each row the smallest row that it is linked with, directly or not."""
    parents = list(range(count))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    for i, j in links:
        low, high = sorted((root(i), root(j)))
        parents[high] = low
    return [root(at) for at in range(count)]
