"""What pictures are compared with: wordings, and their embeddings by the frozen text tower."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from build_engines import check_parity, weights
from build_engines import spec as specs
from build_engines.job import ROOT
from build_engines.pictures import FAMILIES, captions
from build_engines.pictures.captions import Part
from build_engines.vision.spec import LIGHT_TEXT

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Wording:
    text: str
    family: str  # one of FAMILIES
    kind: str  # as a caption's


def of(part: Part) -> list[Wording]:
    """Family by family, in the order of the files."""
    return [
        Wording(one.text, family, one.kind)
        for family in FAMILIES
        for one in captions.read(family)
        if one.part == part
    ]


def embedded(texts: list[str], folder: Path) -> Floats:
    """[texts, 384] of length 1, by the text tower of the light default; kept in `folder`."""
    spec = specs.read(specs.path_of(LIGHT_TEXT))
    key = hashlib.sha256(json.dumps([spec.digest(), texts]).encode()).hexdigest()[:16]
    path = folder / f"texts-{key}.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        found = check_parity.reference(spec, weights.find(spec, ROOT).folder, texts).embeddings
        np.save(path, found)
    kept: Floats = np.load(path)
    return kept
