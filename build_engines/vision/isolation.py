"""Where a difference to the reference comes from: three vectors a picture, and the known faults.

    end_to_end        our pixels, our encoder     against the reference
    forward_only      its pixels, our encoder     what the encoder alone is off
    preprocess_only   our pixels, its encoder     what the pixels alone are off

KNOWN, how sure the encoder is that it knows what it sees, is compared beside each.

`diagnose` then makes each known fault on the side of the reference, and names the one whose
embeddings are ours. Knows neither Triton nor a model: who calls it says how pixels and embeddings
are had.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


class Answers(Protocol):
    """What an encoder says of pictures."""

    @property
    def embeddings(self) -> Floats:
        """[pictures, d]"""

    @property
    def known(self) -> Floats:
        """[pictures], 0 to 1"""


Pixels = Callable[[bytes], Floats]  # an encoded file to [3, size, size]
Encode = Callable[[Floats], Answers]  # of [pictures, 3, size, size]
Whole = Callable[[Sequence[bytes]], Answers]  # of encoded files, in one go
Part = Literal["preprocessing", "encoder"]

END_TO_END, FORWARD, PREPROCESS = "end_to_end", "forward_only", "preprocess_only"
OVERFLOW = "fp16 overflow"
# Of the difference, the share that a fault must explain to be named. What is left is how it was
# made: another library's bilinear filter is another by some levels.
EXPLAINED = 0.8


@dataclass(frozen=True, slots=True)
class Seen:
    """Answers."""

    embeddings: Floats
    known: Floats


@dataclass(frozen=True, slots=True)
class Side:
    """One way from a file to its embedding, in two parts; `whole`: as it is really asked."""

    pixels: Pixels
    encode: Encode
    whole: Whole | None = None


@dataclass(frozen=True, slots=True)
class Reference(Side):
    """What is right, and what it becomes by each fault that has been seen somewhere."""

    wrong_pixels: Mapping[str, Pixels] = field(default_factory=dict)  # by the name of the fault
    wrong_encoders: Mapping[str, Encode] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of the three vectors against the reference. Not finite counts as cosine -1."""

    embeddings: Floats  # [pictures, d]
    cosines: Doubles  # [pictures]
    largest: Doubles  # [pictures], of the differences of their numbers
    known: Doubles | None = None  # [pictures], how much KNOWN is off; None: there is no KNOWN

    def summary(self) -> dict[str, float]:
        """`min`, `mean` and `max` of the cosines, `max_abs`, and `known_max_abs` of KNOWN."""
        found = {
            "min": float(self.cosines.min()),
            "mean": float(self.cosines.mean()),
            "max": float(self.cosines.max()),
            "max_abs": float(self.largest.max()),
        }
        return found if self.known is None else found | {"known_max_abs": float(self.known.max())}

    def of(self, row: int) -> dict[str, float]:
        """The same of one picture."""
        found = {"cosine": float(self.cosines[row]), "max_abs": float(self.largest[row])}
        return found if self.known is None else found | {"known_max_abs": float(self.known[row])}

    def at(self, rows: Sequence[int]) -> Comparison:
        """Of some of the pictures, in this order."""
        some = list(rows)
        known = None if self.known is None else self.known[some]
        return Comparison(self.embeddings[some], self.cosines[some], self.largest[some], known)


@dataclass(frozen=True, slots=True)
class Isolation:
    names: tuple[str, ...]
    reference: Floats  # [pictures, d]
    pixels: tuple[float, ...]  # largest difference of a picture's pixels
    vectors: Mapping[str, Comparison]  # END_TO_END, FORWARD, PREPROCESS

    def document(self) -> dict[str, object]:
        """For `--json`: `summary` of each vector, and `images` with all three of each picture."""
        return {
            "summary": {name: one.summary() for name, one in self.vectors.items()},
            "images": [
                {"name": name, "pixels_max_abs": self.pixels[at]}
                | {vector: one.of(at) for vector, one in self.vectors.items()}
                for at, name in enumerate(self.names)
            ],
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What is off in one part. `fault` None: none of the known ones; `nearest` comes nearest."""

    part: Part
    fault: str | None
    nearest: str | None
    explained: float  # share of the difference, 0 to 1

    def sentence(self) -> str:
        if self.fault is not None:
            return f"{self.part}: {self.fault} (explains {self.explained:.0%} of the difference)"
        near = f"; nearest is {self.nearest}, {self.explained:.0%}" if self.nearest else ""
        return f"{self.part}: differs by no known fault{near}"


def isolate(pictures: Mapping[str, bytes], reference: Reference, ours: Side) -> Isolation:
    """Compare both sides over encoded files by name. Raises ValueError where there are none."""
    if not pictures:
        raise ValueError("no pictures to compare")
    files = list(pictures.values())
    right, found = (np.stack([side.pixels(one) for one in files]) for side in (reference, ours))
    expected = reference.encode(right)
    whole = ours.encode(found) if ours.whole is None else ours.whole(files)
    vectors = {
        END_TO_END: _against(whole, expected),
        FORWARD: _against(ours.encode(right), expected),
        PREPROCESS: _against(reference.encode(found), expected),
    }
    off = np.abs(found.astype(np.float64) - right).reshape(len(files), -1).max(1)
    return Isolation(tuple(pictures), expected.embeddings, tuple(off.tolist()), vectors)


def _against(found: Answers, expected: Answers) -> Comparison:
    off = np.abs(found.known.astype(np.float64) - expected.known)
    known = np.where(np.isfinite(off), off, np.inf)
    return replace(compare(found.embeddings, expected.embeddings), known=known)


def compare(found: Floats, expected: Floats) -> Comparison:
    """Row by row, in float64."""
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(a).all(1)
    a = np.where(finite[:, None], a, 0.0)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    dots = (a * b).sum(1)
    cosines = np.where(lengths > 0, dots / np.where(lengths > 0, lengths, 1.0), -1.0)
    largest = np.where(finite, np.abs(a - b).max(1), np.inf)
    return Comparison(found, np.clip(cosines, -1.0, 1.0), largest)


def diagnose(
    isolation: Isolation,
    pictures: Mapping[str, bytes],
    reference: Reference,
    tolerance: float = 0.99999,
) -> list[Finding]:
    """What is off, part by part; empty where both parts keep the tolerance (least cosine)."""
    findings = []
    files = list(pictures.values())
    pixels, forward = isolation.vectors[PREPROCESS], isolation.vectors[FORWARD]
    if not pixels.cosines.min() >= tolerance:
        faults = reference.wrong_pixels
        made = {
            name: reference.encode(np.stack([wrong(one) for one in files])).embeddings
            for name, wrong in faults.items()
        }
        findings.append(_nearest("preprocessing", pixels, isolation.reference, made))
    if not forward.cosines.min() >= tolerance:
        if not np.isfinite(forward.embeddings).all():
            findings.append(Finding("encoder", OVERFLOW, OVERFLOW, 1.0))
            return findings
        right = np.stack([reference.pixels(one) for one in files])
        made = {n: wrong(right).embeddings for n, wrong in reference.wrong_encoders.items()}
        findings.append(_nearest("encoder", forward, isolation.reference, made))
    return findings


def _nearest(
    part: Part, found: Comparison, expected: Floats, made: Mapping[str, Floats]
) -> Finding:
    """The fault by which the reference comes nearest to what was found.

    By squared distance summed over pictures: one that a fault does not touch says nothing, and does
    not count.
    """
    ours = _unit(found.embeddings)
    apart = ((ours - _unit(expected)) ** 2).sum()
    shares = {
        name: float(max(0.0, 1.0 - ((ours - _unit(wrong)) ** 2).sum() / apart))
        for name, wrong in made.items()
    }
    if not shares:
        return Finding(part, None, None, 0.0)
    best = max(shares, key=shares.__getitem__)
    return Finding(part, best if shares[best] >= EXPLAINED else None, best, shares[best])


def _unit(rows: Floats) -> npt.NDArray[np.float64]:
    wide = np.nan_to_num(rows.astype(np.float64))
    lengths = np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12)
    return np.asarray(wide / lengths, np.float64)
