"""What is asked of a live model to know whether it is there, and whether it is right.

Models that read texts and models that see pictures differ in this alone; `checkup.py` decides when.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from orchestrator.errors import ImageRefused, InferenceError
from orchestrator.inference import Seen
from orchestrator.inference.answers import Answer, stack
from orchestrator.inference.goldens import Goldens, Parity, compare, load_goldens
from orchestrator.inference.model_server import ModelServer
from orchestrator.inference.picture_goldens import (
    PictureGoldens,
    compare_pictures,
    differing_pixels,
    digest,
    load_picture_goldens,
    of_pictures,
)
from orchestrator.inference.rows import Row
from orchestrator.inference.sights import joined

Reference = Goldens | PictureGoldens

PROBE = Row(b"ready?")
PROBE_PICTURE = (  # a gif of one white pixel
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
GOLDEN_S = 60.0  # for one batch of goldens, which hold texts of many windows


def load_reference(repository: Path, model: str) -> Reference:
    """Raises InferenceError where there is nothing to judge the model by."""
    if of_pictures(repository, model):
        return load_picture_goldens(repository, model)
    return load_goldens(repository, model)


async def probe(endpoint: ModelServer, model: str, reference: Reference) -> None:
    """One small request. Raises InferenceError."""
    if isinstance(reference, PictureGoldens):
        await endpoint.see(model, [PROBE_PICTURE], reference.floor)
    else:
        await endpoint.ask(model, [PROBE], reference.tasks)


async def judge(
    endpoint: ModelServer, model: str, reference: Reference, *, batches: bool
) -> Parity:
    """The worse of what it answers to single requests and, with `batches`, to full ones. Raises
    InferenceError where it does not answer.
    """
    most = (await endpoint.describe(model)).max_batch
    sizes = (most, 1) if batches else (1,)
    if isinstance(reference, PictureGoldens):
        parities = await _pictures(endpoint, model, reference, sizes)
    else:
        parities = [await _texts(endpoint, model, reference, size) for size in sizes]
    return min(parities, key=lambda parity: (parity.held, parity.min_cosine))


async def _texts(endpoint: ModelServer, model: str, goldens: Goldens, size: int) -> Parity:
    answers: list[Answer] = []
    rows = goldens.rows()
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        some = await endpoint.ask(model, rows[part], goldens.tasks, GOLDEN_S)
        answers += some
        read = [(answer.said.windows, answer.said.truncated) for answer in some]
        expected = list(zip(goldens.windows[part], goldens.truncated[part], strict=True))
        if read != expected:
            raise InferenceError(
                f"it reads texts {start} to {start + len(some) - 1} in other windows, or cuts "
                f"others, than the reference: {_counts(read)}, not {_counts(expected)}"
            )
    widths = {len(answer.vector) for answer in answers if answer.vector is not None}
    live = stack(model, answers) if len(widths) == 1 else np.empty((0, 0), np.float32)
    return compare(goldens, live, [answer.said for answer in answers])


def _counts(read: Sequence[tuple[int, bool]]) -> str:
    windows, cut = sum(count for count, _ in read), sum(cut for _, cut in read)
    return f"{windows} windows and {cut} cut"


async def _pictures(
    endpoint: ModelServer, model: str, goldens: PictureGoldens, sizes: Sequence[int]
) -> list[Parity]:
    """Pixels first, each picture alone; then what the encoder makes of the way through both."""
    refused: dict[str, str] = {}
    digests: list[str] = []
    for name, picture in zip(goldens.names, goldens.pictures, strict=True):
        try:
            digests.append(digest(await endpoint.pixels(model, picture, GOLDEN_S)))
        except ImageRefused as error:
            digests.append("")
            refused[name] = str(error)
    differing = differing_pixels(goldens, digests, refused)
    read = [
        one
        for name, one in zip(goldens.names, goldens.pictures, strict=True)
        if name not in refused
    ]
    parities = []
    for size in sizes:
        live = await _seen(endpoint, model, read, size, goldens.floor)
        parities.append(compare_pictures(goldens, live, differing, refused))
    return parities


async def _seen(
    endpoint: ModelServer, model: str, pictures: Sequence[bytes], size: int, floor: float
) -> Seen:
    parts = [
        await endpoint.see(model, pictures[start : start + size], floor, GOLDEN_S)
        for start in range(0, len(pictures), size)
    ]
    if not parts:
        return Seen(np.empty((0, 0), np.float32), np.empty(0, np.float32), floor)
    return joined(model, parts)
