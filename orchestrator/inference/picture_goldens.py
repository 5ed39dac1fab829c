"""The reference's answers about pictures that travel with an image model, and the comparison.

`<repository>/<model>/goldens.json` names files in `pictures/` beside it and holds, of each, the
SHA-256 of the pixels it has to become and what the encoder has to say of them
(model_repository/README.md). So an error of preprocessing and one of the encoder are told apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson
from pydantic import BaseModel, Field, ValidationError

from orchestrator.errors import InferenceError
from orchestrator.inference import Embeddings, Seen
from orchestrator.inference.goldens import Parity, cosines, too_low

FOLDER = "pictures"  # in the model's folder
FLOOR = 0.5  # of `known`, where nothing says


@dataclass(frozen=True, slots=True)
class PictureGoldens:
    names: tuple[str, ...]
    pictures: tuple[bytes, ...]  # encoded files
    pixels: tuple[str, ...]  # SHA-256, hexadecimal
    vectors: Embeddings  # [pictures, d]
    known: npt.NDArray[np.float32]  # [pictures]
    tolerance: float  # least cosine
    known_tolerance: float  # most that `known` may be off by
    floor: float

    def part(self, turn: int, parts: int) -> PictureGoldens:
        """One of `parts` of about the same size; `parts` turns in a row give all pictures."""
        return self.at(range(turn % (step := min(parts, len(self.names))), len(self.names), step))

    def at(self, rows: Sequence[int]) -> PictureGoldens:
        some = list(rows)
        return replace(
            self,
            names=tuple(self.names[row] for row in some),
            pictures=tuple(self.pictures[row] for row in some),
            pixels=tuple(self.pixels[row] for row in some),
            vectors=self.vectors[some],
            known=self.known[some],
        )


class _Tolerance(BaseModel):
    cosine: float
    known: float = Field(default=0.01, ge=0, le=1)


class _Document(BaseModel):
    tolerance: _Tolerance
    floor: float = Field(default=FLOOR, ge=0, le=1)
    pictures: list[str] = Field(min_length=1)
    pixels: list[str]
    embeddings: list[list[float]]
    known: list[float]


def of_pictures(repository: Path, model: str) -> bool:
    """Whether the model's goldens are pictures; False where they cannot be read."""
    try:
        document = orjson.loads((repository / model / "goldens.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(document, dict) and "pictures" in document


def load_picture_goldens(repository: Path, model: str) -> PictureGoldens:
    """Raises InferenceError where there are none, or they or a picture cannot be read."""
    path = repository / model / "goldens.json"
    try:
        document = _Document.model_validate(orjson.loads(path.read_bytes()))
        files = tuple((path.parent / FOLDER / name).read_bytes() for name in document.pictures)
    except (OSError, orjson.JSONDecodeError, ValidationError) as error:
        raise InferenceError(f"{model}: {path} cannot be read: {error}") from error
    lists = (document.pixels, document.embeddings, document.known)
    widths = {len(row) for row in document.embeddings}
    if {len(some) for some in lists} != {len(files)} or len(widths) != 1:
        raise InferenceError(f"{model}: {path} is empty, or its lists differ in length")
    return PictureGoldens(
        names=tuple(document.pictures),
        pictures=files,
        pixels=tuple(digest.lower() for digest in document.pixels),
        vectors=np.array(document.embeddings, np.float32),
        known=np.array(document.known, np.float32),
        tolerance=document.tolerance.cosine,
        known_tolerance=document.tolerance.known,
        floor=document.floor,
    )


def load_floor(repository: Path, model: str) -> float:
    """Of `known`; FLOOR where the model has no such goldens, and so is not trusted anyway."""
    try:
        return load_picture_goldens(repository, model).floor
    except InferenceError:
        return FLOOR


def digest(pixels: bytes) -> str:
    return hashlib.sha256(pixels).hexdigest()


def differing_pixels(
    goldens: PictureGoldens, live: Sequence[str], refused: Mapping[str, str]
) -> frozenset[int]:
    """Rows whose pixels are not the reference's; of a picture that is `refused` there are none."""
    return frozenset(
        row
        for row, name in enumerate(goldens.names)
        if name in refused or live[row] != goldens.pixels[row]
    )


def compare_pictures(
    goldens: PictureGoldens,
    live: Seen,
    differing: Collection[int] = (),
    refused: Mapping[str, str] | None = None,
) -> Parity:
    """`live` answers all pictures that are not `refused` (name -> why); `differing` are the rows
    with other pixels than the reference's. The encoder is judged by the pictures with right ones.
    """
    read = [row for row, name in enumerate(goldens.names) if name not in (refused or {})]
    asked = goldens.at(read)
    found = cosines(asked.vectors, live.embeddings)
    off = np.abs(asked.known - live.known).astype(np.float64)
    right = [at for at, row in enumerate(read) if row not in differing]
    said = _preprocessing(goldens, differing, refused or {})
    encoder = _encoder(goldens, found[right], off[right])
    if said and not right and len(found):
        said.append(f"lowest cosine {found.min():.4f} with them")
    return Parity(
        min_cosine=float(found.min(initial=1.0)) if read else -1.0,
        mean_cosine=float(found.mean()) if read else -1.0,
        count=len(goldens.names),
        tolerance=goldens.tolerance,
        probability=float(off.max(initial=0.0)),
        reason="; ".join([*said, *([f"the encoder differs: {encoder}"] if encoder else [])]),
    )


def _preprocessing(
    goldens: PictureGoldens, differing: Collection[int], refused: Mapping[str, str]
) -> list[str]:
    said = []
    other = [goldens.names[row] for row in sorted(differing) if goldens.names[row] not in refused]
    if other:
        said.append(
            f"the pixels of {len(other)} of {len(goldens.names)} pictures are not the"
            f" reference's, {other[0]} first"
        )
    said += [f"{name} is refused, it is {why}" for name, why in sorted(refused.items())[:1]]
    return [f"preprocessing differs: {'; '.join(said)}"] if said else []


def _encoder(
    goldens: PictureGoldens, found: npt.NDArray[np.float64], off: npt.NDArray[np.float64]
) -> str:
    """What is wrong with it, judged by some pictures; empty where nothing is, or there is none."""
    if not len(found):
        return ""
    said = too_low(float(found.min()), len(found), "pictures", goldens.tolerance)
    if not off.max() <= goldens.known_tolerance:
        said.append(f"KNOWN is off by {off.max():.2f}, {goldens.known_tolerance:g} is allowed")
    return "; ".join(said)
