"""Texts into sentence embeddings: tokenize, window, run, and average over windows.

Knows nothing of Triton, so that the tests and the engine builder run exactly this code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer
from windows import Window, rectangle, runs, windows

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes, from the model's spec by way of config.pbtxt."""

    window: int  # tokens the network reads at once, special tokens included
    overlap: int  # tokens that neighbouring windows share
    max_windows: int  # windows of one text; what lies beyond is not read
    max_characters: int  # of one text; bounds the time to tokenize
    max_tokens: int  # in one run of the network; bounds memory
    padding: float  # share of the rectangle that attention works on, 0 to 1

    @classmethod
    def read(cls, settings: Mapping[str, str]) -> "Limits":
        """From the `parameters` of a config.pbtxt. Raises KeyError or ValueError."""
        return cls(
            window=int(settings["window"]),
            overlap=int(settings["overlap"]),
            max_windows=int(settings["max_windows"]),
            max_characters=int(settings["max_characters"]),
            max_tokens=int(settings["max_tokens"]),
            padding=float(settings["padding"]),
        )


@dataclass(frozen=True, slots=True)
class Encoded:
    """One row per text, in the order of the texts."""

    embeddings: Floats  # [texts, d], each of length 1
    windows: npt.NDArray[np.int32]  # [texts], at least 1
    truncated: npt.NDArray[np.bool_]  # [texts], a limit cut the text


@dataclass(frozen=True, slots=True)
class _Tokens:
    ids: list[int]  # without special tokens
    windows: list[Window]
    truncated: bool


class Encoder:
    """A tokenizer and a network that embeds windows.

    The network takes the tokens of several windows end to end (`input_ids`) and where they lie in
    a rectangle (`grid`, `place`: see `rectangle`), and gives one embedding of length 1 per row.
    """

    def __init__(self, tokenizer: Tokenizer, session: ort.InferenceSession, limits: Limits) -> None:
        self._tokenizer = tokenizer
        self._session = session
        self._limits = limits
        # A published tokenizer must not cut or pad: both happen here.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        bare = tokenizer.encode("a", add_special_tokens=False).ids
        framed = tokenizer.encode("a").ids
        at = framed.index(bare[0])
        self._head, self._tail = framed[:at], framed[at + len(bare) :]
        self._room = limits.window - len(self._head) - len(self._tail)

    @classmethod
    def load(cls, network: Path, tokenizer: Path, limits: Limits, threads: int) -> "Encoder":
        """Read an ONNX file and a `tokenizer.json`; the network runs on `threads` CPU threads."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Add + LayerNormalization is 8 % faster than the fused kernel (1 thread, AVX-512, 2026-11).
        session = ort.InferenceSession(
            str(network),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=["SkipLayerNormFusion"],
        )
        return cls(Tokenizer.from_file(str(tokenizer)), session, limits)

    def warm(self) -> None:
        """Run every length bucket once, alone and in a batch, so that no request pays for it."""
        length = len(self._head) + len(self._tail)
        while length < self._limits.window:
            length = min(2 * length, self._limits.window)
            for rows in (1, max(1, min(8, self._limits.max_tokens // length))):
                self._run([[self._head[0]] * length] * rows)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Embed one text or more; one of several windows is their mean, weighted by tokens."""
        tokens = self._tokenize(texts)
        sequences = [
            [*self._head, *text.ids[start:stop], *self._tail]
            for text in tokens
            for start, stop in text.windows
        ]
        rows = self._embed(sequences)
        counts = np.fromiter((len(text.windows) for text in tokens), np.int32, len(tokens))
        if len(rows) != len(tokens):
            rows = self._average(rows, tokens, counts)
        truncated = np.fromiter((text.truncated for text in tokens), np.bool_, len(tokens))
        return Encoded(rows, counts, truncated)

    def _tokenize(self, texts: Sequence[str]) -> list[_Tokens]:
        limits = self._limits
        heads = [text[: limits.max_characters] for text in texts]
        tokens = []
        for text, encoding in zip(
            texts, self._tokenizer.encode_batch_fast(heads, add_special_tokens=False), strict=True
        ):
            ids = encoding.ids
            spans = windows(len(ids), self._room, limits.overlap)
            cut = len(text) > limits.max_characters or len(spans) > limits.max_windows
            tokens.append(_Tokens(ids, spans[: limits.max_windows], cut))
        return tokens

    def _embed(self, sequences: list[list[int]]) -> Floats:
        groups = runs(
            [len(ids) for ids in sequences], self._limits.padding, self._limits.max_tokens
        )
        parts = [self._run([sequences[row] for row in group]) for group in groups]
        embeddings = np.empty((len(sequences), parts[0].shape[1]), np.float32)
        embeddings[list(chain.from_iterable(groups))] = np.concatenate(parts)
        return embeddings

    def _run(self, sequences: list[list[int]]) -> Floats:
        grid, place = rectangle([len(ids) for ids in sequences])
        ids = np.fromiter(chain.from_iterable(sequences), np.int64, len(place))
        (rows,) = self._session.run(None, {"input_ids": ids, "grid": grid, "place": place})
        return np.asarray(rows, np.float32)

    def _average(
        self, rows: Floats, tokens: list[_Tokens], counts: npt.NDArray[np.int32]
    ) -> Floats:
        weights = np.fromiter(
            # An empty text is one window of no tokens; any weight will do, but not 0.
            (max(1, stop - start) for text in tokens for start, stop in text.windows),
            np.float32,
            len(rows),
        )
        starts = np.cumsum(counts) - counts
        means = np.add.reduceat(rows * weights[:, None], starts)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        single = counts == 1
        means[single] = rows[starts[single]]
        return np.asarray(means, np.float32)
