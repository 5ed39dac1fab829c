"""How well pictures find their wordings, and how well KNOWN tells families from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from build_engines.vision.features import Rows
from build_engines.vision.light import KNOWN
from build_engines.vision.wordings import Wording

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
DRAWS = 200  # of one wording for each family
BINS = 10
RIGHT = 0.97  # of what passes the floor
SHOWN = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)  # floors that the card compares
NEW = "new_"  # begins a template of the test split that saw no other (build_engines/pictures)
# Of the wordings that fit a whole family, in German, French and Spanish.
_FOREIGN = frozenset(
    "un une du de d'un d'une ein eine einer eines von der dem mit auf aus im el la una con en hoja "
    "texte texto nota escritura escrito handschrift handgeschriebene dokumentenseite quelltext "
    "quittung kassenbon medizinische radiologische ausweisdokument".split()
)


def parts(rows: Rows) -> dict[str, Flags]:
    """Name -> which pictures [n]: the test split's templates were drawn by two hands."""
    new = np.array([one.startswith(NEW) for one in rows.templates])
    return {"templates of the first hand": ~new, "templates of the second hand": new}


def only(rows: Rows, kept: Flags) -> Rows:
    """The pictures that `kept` [n] names."""
    columns = (rows.names, rows.families, rows.kinds, rows.templates)
    return Rows(rows.features[kept], *(tuple(np.array(one)[kept].tolist()) for one in columns))


def of_wordings(
    rows: Rows, embeddings: Floats, wordings: Sequence[Wording], texts: Floats
) -> dict[str, Any]:
    """Of pictures of the families: what wins where the families' wordings compete.

    `mean`, `best`: share right by the mean or the best of a family's wordings; `one`: by one
    wording for each family, the mean over draws; `english`: `one` without other languages.
    """
    kept = np.array([family in KNOWN for family in rows.families])
    target = targets(rows)[kept]
    scores = embeddings[kept] @ texts.T
    owner = np.array([KNOWN.index(w.family) if w.family in KNOWN else -1 for w in wordings])
    means = np.stack([scores[:, owner == at].mean(1) for at in range(len(KNOWN))], 1)
    bests = np.stack([scores[:, owner == at].max(1) for at in range(len(KNOWN))], 1)
    general = np.array([not w.kind for w in wordings])
    english = general & np.array([in_english(w) for w in wordings])
    own = means[np.arange(len(target)), target]
    rest = np.where(np.eye(len(KNOWN), dtype=bool)[target], -np.inf, means).max(1)
    return {
        "pictures": len(target),
        "wordings": int((owner >= 0).sum()),
        "mean": _share(means.argmax(1) == target),
        "best": _share(bests.argmax(1) == target),
        "one": _drawn(scores, owner, general, target),
        "english": _drawn(scores, owner, english, target),
        "inversion": _share(rest >= own),
        "own": round(float(own.mean()), 3),
        "own_least_5": round(float(np.quantile(own, 0.05)), 3),
        "rest_most_5": round(float(np.quantile(rest, 0.95)), 3),
        "families": _families(means, target),
    }


def _families(means: Floats, target: npt.NDArray[np.int64]) -> dict[str, dict[str, Any]]:
    """Share right, what a family is taken for, and its mean score against the next one's."""
    found = {}
    for at, family in enumerate(KNOWN):
        mine = means[target == at]
        taken = mine.argmax(1)
        wrong = np.bincount(taken[taken != at], minlength=len(KNOWN))
        table = mine.mean(0)
        rest = np.delete(table, at)
        found[family] = {
            "right": _share(taken == at),
            "mostly_taken_for": KNOWN[int(wrong.argmax())] if wrong.any() else "",
            "own": round(float(table[at]), 3),
            "next": round(float(rest.max()), 3),
            "inverted": bool(rest.max() >= table[at]),
        }
    return found


def _drawn(
    scores: Floats, owner: npt.NDArray[np.int64], allowed: Flags, target: npt.NDArray[np.int64]
) -> float:
    dice = np.random.default_rng(3)
    columns = [np.flatnonzero((owner == at) & allowed) for at in range(len(KNOWN))]
    shares = []
    for _ in range(DRAWS):
        chosen = [int(dice.choice(one)) for one in columns]
        shares.append(float((scores[:, chosen].argmax(1) == target).mean()))
    return round(float(np.mean(shares)), 4)


def in_english(wording: Wording) -> bool:
    """By what no English wording of ours has: other letters, or words of the other languages."""
    words = set(wording.text.lower().split())
    return wording.text.isascii() and not words & _FOREIGN


def rightly(rows: Rows, embeddings: Floats, families: Floats) -> Flags:
    """[n]: the picture is of a family, and nearest to it. `families` [families, d] in the order of
    KNOWN."""
    found: Flags = (embeddings @ families.T).argmax(1) == targets(rows)
    return found


def of_known(rows: Rows, surety: Floats, right: Flags, floor: float) -> dict[str, Any]:
    """`surety`: KNOWN by row; `right` as of `rightly`. Shares that pass, of these the right ones,
    and shares that are refused, by family and by template."""
    known = np.array([family in KNOWN for family in rows.families])
    passed = surety >= floor
    photograph = np.array([t == "photograph" for t in rows.templates])
    return {
        "floor": floor,
        "known_passed": _share(passed[known]),
        "passed_right": _share(right[known & passed]),
        "other_refused": _share(~passed[~known]),
        "photographs_refused": _share(~passed[~known & photograph]),
        "calibration_error": calibration_error(surety, right),
        "floors": {
            str(at): {
                "passed": _share(surety[known] >= at),
                "right": _share(right[known & (surety >= at)]),
                "refused": _share(surety[~known] < at),
            }
            for at in SHOWN
        },
        "families": {
            family: _share(passed[[one == family for one in rows.families]]) for family in KNOWN
        },
        "other_templates": {
            name: _share(~passed[~known & np.array([t == name for t in rows.templates])])
            for name in sorted({t for t, k in zip(rows.templates, known, strict=True) if not k})
        },
    }


def floor_of(surety: Floats, right: Flags, least: float = RIGHT) -> float:
    """The lowest floor, in steps of 0.01, at which `least` of what passes is right.

    `surety`, `right`: of pictures of families. What is unknown costs a rule; what is told wrongly
    is told with confidence. Where no floor will do: the highest.
    """
    steps = [at / 100 for at in range(1, 100)]
    enough = [at for at in steps if (surety >= at).any() and right[surety >= at].mean() >= least]
    return min(enough, default=steps[-1])


def calibration_error(surety: Floats, right: Flags) -> float:
    """Expected calibration error over equal bins of KNOWN (Guo et al. 2017).

    `right`: what KNOWN is the probability of."""
    place = np.minimum((surety * BINS).astype(int), BINS - 1)
    gaps = [
        abs(float(surety[place == at].mean() - right[place == at].mean())) * (place == at).mean()
        for at in range(BINS)
        if (place == at).any()
    ]
    return round(float(sum(gaps)), 4)


def targets(rows: Rows) -> npt.NDArray[np.int64]:
    """[n]: the place of each picture's family in KNOWN; -1 of none."""
    return np.array([KNOWN.index(one) if one in KNOWN else -1 for one in rows.families])


def _share(flags: npt.NDArray[Any]) -> float:
    return round(float(flags.mean()), 4) if len(flags) else float("nan")
