"""What a rendered picture is, and what a template draws: the contract of the families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from PIL import Image

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)

# How the drawn thing comes before the eye; camera.py makes it so.
Shot = Literal["screen", "card", "paper", "film", "scene"]

LARGEST = 512  # px, the longer side of a picture

FAMILIES = (
    "identity_document",
    "medical",
    "source_code",
    "terminal",
    "chart",
    "receipt",
    "handwriting",
    "document_page",
    "other",
)

GENERATED = "generated"
PROJECT_LICENCE = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a template gives: the thing itself, before a camera or a screen shot took it."""

    image: Image.Image  # RGB, or RGBA where the thing has no straight edges
    kind: str  # a group of captions of its family; "" where only the general ones fit
    shot: Shot
    source: str = GENERATED
    licence: str = PROJECT_LICENCE


@dataclass(frozen=True, slots=True)
class Picture:
    """One labelled picture. The same name means the same pixels wherever the pins are the same.

    `captions` say what it is, in the wordings of its split: those of the test split stand in no
    other. They are empty for pictures of the family `other` that no caption of the file fits.
    """

    name: str
    family: str  # one of FAMILIES
    image: Image.Image  # RGB, its longer side at most LARGEST
    captions: tuple[str, ...]
    source: str  # "generated", or "package: file" of the photograph or scan in it
    licence: str  # SPDX, or "public domain"
    kind: str = ""
    template: str = ""
