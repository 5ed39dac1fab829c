"""Texts into the space of a picture encoder, by its own text tower.

Every text has the length that `tokenizer.json` says: longer ones are cut, shorter ones padded, and
the network attends to the padding too, as it was trained. Knows nothing of Triton, so that the
tests and the engine builder run exactly this code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]
ROWS = 8  # at once; more is not faster on one thread and takes memory


@dataclass(frozen=True, slots=True)
class Encoded:
    """One row a text, in the order of the texts."""

    embeddings: Floats  # [texts, d], each of length 1
    truncated: npt.NDArray[np.bool_]  # [texts], the tower has read less than all


class Tower:
    """A network with the input `input_ids` and the output EMBEDDING, and its tokenizer."""

    def __init__(
        self, tokenizer: Tokenizer, session: ort.InferenceSession, max_characters: int
    ) -> None:
        self._tokenizer = tokenizer
        self._session = session
        self._max_characters = max_characters

    @classmethod
    def load(cls, network: Path, tokenizer: Path, max_characters: int, threads: int) -> "Tower":
        """Read an ONNX file and a `tokenizer.json`; the network runs on `threads` CPU threads."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = ort.InferenceSession(network, options, providers=["CPUExecutionProvider"])
        return cls(Tokenizer.from_file(str(tokenizer)), session, max_characters)

    def warm(self) -> None:
        for rows in (1, ROWS):
            self.encode([""] * rows)

    def ids(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """[texts, length], and where a text was longer."""
        read = [text[: self._max_characters] for text in texts]
        cut = self._tokenizer.encode_batch(read)
        longer = [
            bool(one.overflowing) or len(text) > self._max_characters
            for one, text in zip(cut, texts, strict=True)
        ]
        return np.asarray([one.ids for one in cut], np.int64), np.asarray(longer, np.bool_)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Embed one text or more."""
        ids, truncated = self.ids(texts)
        rows = [
            self._session.run(["EMBEDDING"], {"input_ids": ids[at : at + ROWS]})[0]
            for at in range(0, len(ids), ROWS)
        ]
        return Encoded(np.concatenate(rows), truncated)
