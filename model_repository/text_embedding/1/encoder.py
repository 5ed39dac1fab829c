"""Texts into sentence embeddings: tokenize, window, run, and average over windows.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from averages import unit
from sequences import Cutter, Limits
from tokenizers import Tokenizer
from windows import rectangle, runs

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoded:
    """One row per text, in the order of the texts."""

    embeddings: Floats  # [texts, d], each of length 1
    windows: npt.NDArray[np.int32]  # [texts], at least 1
    truncated: npt.NDArray[np.bool_]  # [texts], a limit cut the text
    unreadable: Floats  # [texts, 2], shares of a text that the vocabulary cannot spell


class Encoder:
    """A tokenizer and a network that embeds windows.

    The network takes the tokens of several windows end to end (`input_ids`) and where they lie in
    a rectangle (`grid`, `place`: see `rectangle`), and gives one embedding of length 1 per row.
    """

    def __init__(self, tokenizer: Tokenizer, session: ort.InferenceSession, limits: Limits) -> None:
        self._cutter = Cutter(tokenizer, limits)
        self._session = session
        self._limits = limits

    @classmethod
    def load(cls, network: Path, tokenizer: Path, limits: Limits, threads: int) -> "Encoder":
        """Read an ONNX file and a `tokenizer.json`; the network runs on `threads` CPU threads."""
        session = open_session(network.read_bytes(), threads)
        return cls(Tokenizer.from_file(str(tokenizer)), session, limits)

    def warm(self) -> None:
        """Run every length bucket once, so that no request pays for it."""
        for batch in self._cutter.warming():
            self._run(batch)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Embed one text or more; one of several windows is their mean, weighted by tokens."""
        cut = self._cutter.cut(texts)
        rows = unit(cut.mean(self._embed(cut.sequences)), cut.counts)
        return Encoded(rows, cut.counts, cut.truncated, cut.unreadable)

    def _embed(self, sequences: list[list[int]]) -> Floats:
        groups = runs(
            [len(ids) for ids in sequences], self._limits.padding, self._limits.max_tokens
        )
        parts = [self._run([sequences[row] for row in group]) for group in groups]
        embeddings = np.empty((len(sequences), parts[0].shape[1]), np.float32)
        embeddings[list(chain.from_iterable(groups))] = np.concatenate(parts)
        return embeddings

    def _run(self, sequences: list[list[int]]) -> Floats:
        (rows,) = self._session.run(None, packed(sequences))
        return np.asarray(rows, np.float32)


def open_session(network: bytes, threads: int) -> ort.InferenceSession:
    """An ONNX model on `threads` CPU threads."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Add + LayerNormalization is 8 % faster than the fused kernel (1 thread, AVX-512, 2026-11).
    return ort.InferenceSession(
        network,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],
    )


def packed(sequences: list[list[int]]) -> dict[str, npt.NDArray[np.int64]]:
    """What the network is fed with: the sequences end to end, and where they lie."""
    grid, place = rectangle([len(ids) for ids in sequences])
    ids = np.fromiter(chain.from_iterable(sequences), np.int64, len(place))
    return {"input_ids": ids, "grid": grid, "place": place}
