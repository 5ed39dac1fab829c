"""What a signal may ask of a model server. This file is the contract."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Embeddings = npt.NDArray[np.float32]

# Of one text in UTF-8: 65,536 characters of four bytes. Triton's shared memory grows with the
# largest message and stays.
MAX_BYTES = 262_144
# Of one picture as a file; what the preprocessor allows too (model_repository/image_preprocess).
MAX_IMAGE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Entity:
    """A piece of a text that a token task labels: Python string indices, `stop` exclusive."""

    start: int
    stop: int
    label: str
    score: float  # probability, 0 to 1


@dataclass(frozen=True, slots=True)
class Classification:
    """What a text classifier says of one text, for the tasks that were asked.

    `probabilities` of a sequence task are calibrated and sum to 1: over several windows they are
    the mean, or those of the window with the highest risk where the task guards. `truncated`: a
    limit cut the text, and the rest was not read. `unreadable` and `unreadable_stretch` are shares
    by characters, of the text and of that stretch of it where most is (`inference/unreadable.py`).
    """

    probabilities: Mapping[str, Mapping[str, float]]  # task -> label -> probability
    entities: Mapping[str, tuple[Entity, ...]]  # token task -> by position, not overlapping
    windows: int = 1
    truncated: bool = False
    unreadable: float = 0.0
    unreadable_stretch: float = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What an image encoder says of some pictures, in order.

    `known` is how likely each is of a kind that the encoder was trained to tell, and of the nearest
    one, 0 to 1; an encoder without such kinds says 1. Below `floor` its embedding means nothing.
    """

    embeddings: Embeddings  # float32 [n, d], L2-normalised
    known: npt.NDArray[np.float32]  # [n]
    floor: float


class Inference(Protocol):
    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """L2-normalised sentence embeddings, float32 [len(texts), d], rows in order. A row of NaN:
        the model cannot read that text (`inference/unreadable.py`).

        Raises InferenceTimeout, InferenceUnavailable, ModelUntrusted or InferenceError;
        never answers with a part. A text of more than MAX_BYTES is an InferenceError; up to there
        the model reads a long text in windows and counts what it cuts. Deadlines are the
        caller's (cancellation reaches the server).
        """
        ...

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        """All `tasks` of every text, in order. Raises as `embed` does.

        What several callers ask of the same text at the same moment travels as one request: a
        signal asks for its own tasks only. A task that the model does not have is an
        InferenceError that names those it has.
        """
        ...

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        """At least one picture, each an encoded file: png, jpeg, webp or gif.

        Raises as `embed` does, and ImageRefused for the first picture that is not read, or has
        more than MAX_IMAGE_BYTES. Each picture travels by itself: who wants an answer although
        another picture is refused asks for each by itself. What several callers ask of the same
        picture at the same time travels once.
        """
        ...

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """Task -> its labels, of a text classifier. Raises InferenceError where nothing says."""
        ...

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """Task -> the languages that it reads well, ISO 639-1; a task that reads any has none.

        Empty where nothing says. It does not change while the model is served.
        """
        ...


class Unhurried(Inference, Protocol):
    def unhurried(self, seconds: float) -> Inference:
        """The same, where each question to a server may take so long even if that is beyond the
        deadline of one inference. It shares what is on its way for others.
        """
        ...
