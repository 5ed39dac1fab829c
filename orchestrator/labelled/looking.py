"""Pictures and texts, asked of the live models as the signals ask them, and compared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from orchestrator.errors import ConfigError, ImageRefused
from orchestrator.inference import Inference, Seen
from orchestrator.inference.pacing import Paced, together
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.inference.unreadable import require

AT_ONCE = 4  # pictures


@dataclass(frozen=True, slots=True)
class Looked:
    """What the models make of the pictures that were read, row by row."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    cosines: npt.NDArray[np.float64]  # [pictures, texts]
    known: npt.NDArray[np.float32]  # [pictures], 0 to 1
    floor: float  # of `known`: below it no rule is decided
    refused: Mapping[str, str]  # name of a picture that is not read -> why


async def look(
    inference: Inference,
    pictures: Mapping[str, Path],
    texts: Sequence[str],
    progress: Callable[[int], None] = lambda _: None,
) -> Looked:
    """`progress` is told of each. Raises InferenceError, and ConfigError where none is read."""
    embedded = await Paced(inference).embed(IMAGE_TEXT, texts)
    vectors = require(IMAGE_TEXT, embedded).astype(np.float64)
    places = asyncio.Semaphore(AT_ONCE)

    async def one(path: Path) -> Seen | str:
        async with places:
            try:
                data = await asyncio.to_thread(path.read_bytes)
                return await inference.see(IMAGE_SIGNALS, [data])
            except OSError as error:
                return str(error.strerror or error)
            except ImageRefused as error:
                return str(error)
            finally:
                progress(1)

    answers = dict(
        zip(pictures, await together([one(path) for path in pictures.values()]), strict=True)
    )
    seen = {name: said for name, said in answers.items() if isinstance(said, Seen)}
    refused = {name: said for name, said in answers.items() if isinstance(said, str)}
    if not seen:
        name, reason = next(iter(refused.items()))
        raise ConfigError(f"none of {len(refused)} pictures is read; {name} is {reason}")
    embeddings = np.concatenate([one.embeddings for one in seen.values()]).astype(np.float64)
    return Looked(
        tuple(seen),
        tuple(texts),
        embeddings @ vectors.T,
        np.concatenate([one.known for one in seen.values()]),
        next(iter(seen.values())).floor,
        refused,
    )
