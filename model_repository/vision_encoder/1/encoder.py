"""Pixels into embeddings, and how sure the encoder is that it knows what it sees.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

Floats = npt.NDArray[np.float32]

# Only these sizes are ever run, and all of them are run before the first request: a new shape
# costs a plan of its memory. More at once is not faster on one thread and takes memory.
BATCHES = (8, 4, 2, 1)


@dataclass(frozen=True, slots=True)
class Seen:
    """One row a picture, in the order of the pictures."""

    embeddings: Floats  # [pictures, d], each of length 1
    known: Floats  # [pictures], 0 to 1


class Encoder:
    """A network with the input PIXELS and the outputs EMBEDDING and KNOWN."""

    def __init__(self, session: ort.InferenceSession) -> None:
        self._session = session
        _, *self._shape = session.get_inputs()[0].shape

    @classmethod
    def load(cls, network: Path, threads: int) -> "Encoder":
        """Read an ONNX file; the network runs on `threads` CPU threads."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return cls(ort.InferenceSession(network, options, providers=["CPUExecutionProvider"]))

    def warm(self) -> None:
        for size in BATCHES:
            self._run(np.zeros((size, *self._shape), np.float32))

    def encode(self, pixels: Floats) -> Seen:
        """See one picture or more: PIXELS [pictures, 3, size, size] of `image_preprocess`."""
        parts, at = [], 0
        for size in portions(len(pixels)):
            parts.append(self._run(pixels[at : at + size]))
            at += size
        embeddings, known = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Seen(embeddings, known[:, 0])

    def _run(self, pixels: Floats) -> tuple[Floats, Floats]:
        embeddings, known = self._session.run(["EMBEDDING", "KNOWN"], {"PIXELS": pixels})
        return embeddings, known


def portions(pictures: int) -> list[int]:
    """How a batch is cut into runs, largest first: none is filled up with empty pictures."""
    found = []
    for size in BATCHES:
        found += [size] * (pictures // size)
        pictures %= size
    return found
