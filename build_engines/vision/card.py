"""The model card beside the projection, written from its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from build_engines.pictures import FAMILIES
from build_engines.train.card import table
from build_engines.vision.figures import RIGHT
from build_engines.vision.lite0 import FEATURES

NAME = "README.md"
JUDGED = ("validation", "test")
_LIMITS = (
    "Not an open vocabulary: it tells the families below. A label for anything else means nothing; "
    "a low KNOWN says that a picture is of no family, or may be of several, and the router takes "
    "image rules as unknown.",
    "All pictures of families are drawn by `build_engines/pictures` but for the scans of `medical` "
    "and the portraits in identity documents. Real photographs of documents are less clean.",
    "The text tower reads English. Wordings in other languages are in the training and the test; "
    "what they cost is the difference between the rows `one wording` and `one English wording`.",
    "A picture with two families in it (a receipt on a printed page, a chart in an editor) is told "
    "by what fills it; no picture of the kind is in the figures.",
)


def write(folder: Path, told: Mapping[str, Any]) -> None:
    """`README.md` in `folder`. `told`: what `train.report` gives."""
    parts = (
        *(_head(told), _data(told), _quality(told), _known(told)),
        *(_hands(told), _ways(told), _limits()),
    )
    (folder / NAME).write_text("\n".join(line for part in parts for line in part), encoding="utf-8")


def _head(told: Mapping[str, Any]) -> Iterator[str]:
    plan = told["plan"]
    yield "# Projection of the light picture encoder"
    yield ""
    yield (
        f"Features of EfficientNet-Lite0 ({FEATURES:,} numbers: of every channel of its seven "
        "stages the means of the four quarters of a picture and the standard deviation) into the "
        "space of all-MiniLM-L6-v2 (384), and KNOWN: the probability that a picture is of a family "
        "this encoder was trained to tell, and of the one that it is nearest to. "
        "The trunk and the text tower stay as they are. "
        "Trained by `python -m build_engines.vision.train`: the sigmoid loss over all "
        "pairs of a picture and a wording (Zhai et al. 2023), binary "
        f"cross-entropy for KNOWN; {plan['epochs']} epochs at {plan['rate']:g}, dropout "
        f"{plan['dropout']:g}, seed {plan['seed']}. Written by `build_engines/vision/card.py`."
    )
    yield ""


def _data(told: Mapping[str, Any]) -> Iterator[str]:
    splits = told["pictures"]
    yield "## Data"
    yield ""
    yield (
        "Pictures are drawn from seeds (`build_engines/pictures`); no template or photograph of "
        "the test split stands in another. Of those of training, two in five are turned, shrunk, "
        "grainy or worn in another way. Wordings: "
        f"{told['texts']['train']} in training, {told['texts']['test']} "
        "others in the test."
    )
    yield ""
    rows = [[family, *(counts[family] for counts in splits.values())] for family in FAMILIES]
    yield from table(["pictures", *splits], rows)
    yield ""


def _quality(told: Mapping[str, Any]) -> Iterator[str]:
    test, check = told["test"]["wordings"], told["validation"]["wordings"]
    names = {
        "mean": "right by the mean of a family's wordings",
        "best": "right by the best of a family's wordings",
        "one": "right by one wording of each family, mean over draws",
        "english": "right by one English wording of each family",
        "inversion": "another family's mean is as high (inverted)",
        "own": "mean score with the own wordings",
        "own_least_5": "own mean score: 5 in 100 are lower",
        "rest_most_5": "best other family's mean score: 5 in 100 are higher",
    }
    yield "## Quality: unseen pictures, unseen wordings"
    yield ""
    rows = [[words, check[name], test[name]] for name, words in names.items()]
    yield from table(["figure", "validation pictures", "test pictures"], rows)
    yield ""
    yield "By family, test split; `next` is the best other family's mean score:"
    yield ""
    passed = told["test"]["known"]["families"]
    rows = [
        [
            family,
            *(one[key] for key in ("right", "own", "next", "mostly_taken_for")),
            passed[family],
        ]
        for family, one in test["families"].items()
    ]
    head = ["family", "right", "own", "next", "mostly taken for", "KNOWN at least the floor"]
    yield from table(head, rows)
    yield ""


def _known(told: Mapping[str, Any]) -> Iterator[str]:
    yield "## KNOWN"
    yield ""
    yield (
        "The product of two probabilities: of any family, by a network of its own, and of the "
        "nearest one, the highest of a softmax over the families' wordings in training (their mean "
        "less that of all, of length 1). Each is "
        f"calibrated with a temperature on the validation split. The floor is {told['floor']}, "
        f"chosen by the same split: the lowest at which {RIGHT:.0%} of the pictures of families "
        "that pass are told rightly. Below it image rules are unknown: of no family, or as well of "
        "one as of another."
    )
    yield ""
    names = {
        "known_passed": "pictures of families that pass",
        "passed_right": "right among these, by the mean of a family's wordings",
        "other_refused": "pictures of no family that are refused",
        "photographs_refused": "photographs among them that are refused",
        "calibration_error": "expected calibration error of KNOWN",
    }
    check, test = told["validation"]["known"], told["test"]["known"]
    rows = [[words, check[name], test[name]] for name, words in names.items()]
    yield from table(["figure", "validation", "test"], rows)
    yield ""
    yield "What other floors would do: pictures of families that pass, right among these, and"
    yield "pictures of no family that are refused."
    yield ""
    rows = [
        [at, *one.values(), *test["floors"][at].values()] for at, one in check["floors"].items()
    ]
    parts = ("passed", "right", "refused")
    yield from table(["floor", *(f"{split} {p}" for split in JUDGED for p in parts)], rows)
    yield ""
    rows = [[name, share] for name, share in test["other_templates"].items()]
    yield from table(["of no family, test split", "refused"], rows)
    yield ""


def _hands(told: Mapping[str, Any]) -> Iterator[str]:
    hands = told["hands"]
    columns = list(next(iter(hands.values())))
    yield "## By who drew the test"
    yield ""
    yield (
        "The second hand drew its templates and wrote its wordings without a look at those of the "
        "training. Templates of the training were added after figures of the first hand's were "
        "known, by kinds that it lacked; the second hand's had not been drawn then."
    )
    yield ""
    rows = [[hand, *(row[name] for name in columns)] for hand, row in hands.items()]
    yield from table(["test split", *(name.replace("_", " ") for name in columns)], rows)
    yield ""


def _ways(told: Mapping[str, Any]) -> Iterator[str]:
    ways = told["compared"]
    columns = list(dict.fromkeys(name for row in ways.values() for name in row))
    yield "## Compared"
    yield ""
    yield "`mean`, `one`, `inversion` as above; `refused`: pictures of no family below the floor."
    yield ""
    rows = [[way, *(row.get(name, "") for name in columns)] for way, row in ways.items()]
    yield from table(["way", *(name.replace("_", " ") for name in columns)], rows)
    yield ""


def _limits() -> Iterator[str]:
    yield from ("## Limits", "", *(f"- {one}" for one in _LIMITS), "")
