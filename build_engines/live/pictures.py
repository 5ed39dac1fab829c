"""The three vectors of a live image encoder, and the fault behind a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from build_engines.live.server import Eyes
from build_engines.vision.isolation import (
    END_TO_END,
    FORWARD,
    PREPROCESS,
    Comparison,
    Isolation,
    Part,
    Reference,
    diagnose,
    isolate,
)
from build_engines.vision.spec import Tolerance
from orchestrator.errors import ImageRefused, InferenceError

_PARTS: Mapping[Part, str] = {"preprocessing": PREPROCESS, "encoder": FORWARD}
_CALLED = {vector: part for part, vector in _PARTS.items()}
SOME = 16  # pictures at a time: PIXELS of both sides are 1.2 MB each
WORST = 12  # pictures of each part that a diagnosis looks at


@dataclass(frozen=True, slots=True)
class Outcome:
    """`document`: what --json prints. `differs`: one sentence for each part that is off."""

    document: dict[str, Any]
    differs: tuple[str, ...]


def compare(
    eyes: Eyes,
    reference: Reference,
    pictures: Mapping[str, bytes],
    tolerance: Tolerance,
    progress: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Encoded files by name. A file that our preprocessor does not read is told, and left out.

    Raises InferenceError where the server fails, or reads none of them.
    """
    parts, refused, first = [], {}, ""
    for some in _some(pictures):
        read = {}
        for name, data in some.items():
            try:
                ours = eyes.pixels(data)
            except ImageRefused as error:
                refused[name] = str(error)
                continue
            if not first:
                _require_shape(ours.shape, reference.pixels(data).shape)
                first = name
            read[name] = data
        if read:
            parts.append(isolate(read, reference, eyes.side()))
        eyes.forget()
        progress(len(some))
    if not parts:
        name, reason = next(iter(refused.items()), ("", ""))
        raise InferenceError(f"none of {len(refused)} pictures is read; {name} is {reason}")
    found = joined(parts)
    differs = tuple(_differs(found, pictures, reference, tolerance))
    document = finite(found.document()) | {
        "tolerance": {
            END_TO_END: tolerance.cosine,
            FORWARD: tolerance.export,
            PREPROCESS: tolerance.export,
            "known": tolerance.known,
        },
        "differs": list(differs),
        "refused": refused,
    }
    return Outcome(document, differs)


def joined(parts: Sequence[Isolation]) -> Isolation:
    """At least one, of different pictures, in order."""
    return Isolation(
        tuple(name for part in parts for name in part.names),
        np.concatenate([part.reference for part in parts]),
        tuple(off for part in parts for off in part.pixels),
        {name: _joined([part.vectors[name] for part in parts]) for name in parts[0].vectors},
    )


def _joined(parts: Sequence[Comparison]) -> Comparison:
    known = [one.known for one in parts if one.known is not None]
    return Comparison(
        np.concatenate([one.embeddings for one in parts]),
        np.concatenate([one.cosines for one in parts]),
        np.concatenate([one.largest for one in parts]),
        np.concatenate(known) if known else None,
    )


def worst(found: Isolation, most: int = WORST) -> Isolation:
    """The pictures on which a part is most off, in order; all, where they are no more."""
    rows = sorted(
        {
            int(row)
            for vector in (PREPROCESS, FORWARD)
            for row in np.argsort(found.vectors[vector].cosines, kind="stable")[:most]
        }
    )
    return Isolation(
        tuple(found.names[row] for row in rows),
        found.reference[rows],
        tuple(found.pixels[row] for row in rows),
        {vector: one.at(rows) for vector, one in found.vectors.items()},
    )


def _differs(
    found: Isolation, pictures: Mapping[str, bytes], reference: Reference, tolerance: Tolerance
) -> Iterator[str]:
    few = worst(found)
    shown = {name: pictures[name] for name in few.names}
    findings = diagnose(few, shown, reference, tolerance.export)
    for finding in findings:
        yield f"{finding.sentence()}, {_least(few, _PARTS[finding.part])}"
    # Where a part's embeddings are off, so is its KNOWN.
    wrong = {finding.part for finding in findings}
    right = [vector for part, vector in _PARTS.items() if part not in wrong]
    unsure = [name for name in right if not _off(found, name) <= tolerance.known]
    for vector in unsure:
        yield f"{_CALLED[vector]}: {_most(found, vector)}"
    if findings or unsure:
        return
    both = "end to end, though both parts alone are right"
    if not found.vectors[END_TO_END].cosines.min() >= tolerance.cosine:
        yield f"{both}, {_least(found, END_TO_END)}"
    elif not _off(found, END_TO_END) <= tolerance.known:
        yield f"{both}: {_most(found, END_TO_END)}"


def _off(found: Isolation, vector: str) -> float:
    known = found.vectors[vector].known
    return 0.0 if known is None else float(known.max())


def _most(found: Isolation, vector: str) -> str:
    known = found.vectors[vector].known
    assert known is not None
    row = int(known.argmax())
    return f"KNOWN is off by {known[row]:.4f} ({found.names[row]})"


def _least(found: Isolation, vector: str) -> str:
    cosines = found.vectors[vector].cosines
    row = int(cosines.argmin())
    return f"least cosine {cosines[row]:.5f} ({found.names[row]})"


def _some(pictures: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    names = list(pictures)
    for at in range(0, len(names), SOME):
        yield {name: pictures[name] for name in names[at : at + SOME]}


def _require_shape(ours: tuple[int, ...], theirs: tuple[int, ...]) -> None:
    if ours != theirs:
        raise InferenceError(f"PIXELS has the shape {ours}, that of the reference is {theirs}")


def finite(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same without what JSON has no word for: that is null."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
