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
    Reference,
    diagnose,
    isolate,
)
from build_engines.vision.spec import Tolerance
from orchestrator.errors import ImageRefused, InferenceError

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
        {
            vector: Comparison(
                np.concatenate([part.vectors[vector].embeddings for part in parts]),
                np.concatenate([part.vectors[vector].cosines for part in parts]),
                np.concatenate([part.vectors[vector].largest for part in parts]),
            )
            for vector in parts[0].vectors
        },
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
        {
            vector: Comparison(one.embeddings[rows], one.cosines[rows], one.largest[rows])
            for vector, one in found.vectors.items()
        },
    )


def _differs(
    found: Isolation, pictures: Mapping[str, bytes], reference: Reference, tolerance: Tolerance
) -> Iterator[str]:
    few = worst(found)
    shown = {name: pictures[name] for name in few.names}
    findings = diagnose(few, shown, reference, tolerance.export)
    for finding in findings:
        vector = {"preprocessing": PREPROCESS, "encoder": FORWARD}[finding.part]
        yield f"{finding.sentence()}, {_least(few, vector)}"
    whole = found.vectors[END_TO_END].cosines
    if not findings and not whole.min() >= tolerance.cosine:
        yield f"end to end, though both parts alone are right, {_least(few, END_TO_END)}"


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
