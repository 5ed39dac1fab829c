"""Texts into the token sequences that a network reads: tokenize, cut into windows, frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from averages import mean
from tokenizers import Encoding, Tokenizer
from unread import unknown_token, unread
from windows import Window, windows

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
    prefix: str = ""  # what every window begins with, as the network was trained

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
            prefix=settings.get("prefix", ""),
        )


@dataclass(frozen=True, slots=True)
class Cut:
    """Some texts as sequences, the windows of a text one after another."""

    encodings: list[Encoding]  # of the texts with their prefix, without special tokens
    windows: list[list[Window]]  # of each text, at least one
    sequences: list[list[int]]  # token ids, special tokens included
    counts: npt.NDArray[np.int32]  # [texts], windows
    weights: Floats  # [sequences], the share of a text is by tokens
    truncated: npt.NDArray[np.bool_]  # [texts], a limit cut the text
    unreadable: Floats  # [texts, 2], see `unread`

    def mean(self, rows: Floats) -> Floats:
        """One row per text from one per sequence, weighted by tokens."""
        return mean(rows, self.counts, self.weights)


class Cutter:
    """A tokenizer, and how long a sequence may be."""

    def __init__(self, tokenizer: Tokenizer, limits: Limits) -> None:
        self._tokenizer = tokenizer
        self._limits = limits
        # A published tokenizer must not cut or pad: both happen here.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._unknown = unknown_token(tokenizer)
        framed = tokenizer.encode("a")
        marks, size = framed.special_tokens_mask, len(framed.ids)
        self.head = framed.ids[: marks.index(0)]
        self.tail = framed.ids[size - marks[::-1].index(0) :]
        if not self.head and not self.tail:
            raise ValueError("a tokenizer without special tokens has nothing for an empty text")
        self._room = limits.window - len(self.head) - len(self.tail)
        lead = len(tokenizer.encode(limits.prefix, add_special_tokens=False).ids)
        if self._room - lead <= limits.overlap:
            raise ValueError(f"a window of {limits.window} tokens has no room beside its prefix")

    def cut(self, texts: Sequence[str], offsets: bool = False) -> Cut:
        """`offsets`: the encodings know where each token is in its text; that costs time."""
        limits = self._limits
        heads = [text[: limits.max_characters] for text in texts]
        offsets = offsets or bool(limits.prefix)
        encode = self._tokenizer.encode_batch if offsets else self._tokenizer.encode_batch_fast
        encodings = encode([limits.prefix + text for text in heads], add_special_tokens=False)
        led = [self._led(one) for one in encodings]
        spans = [
            windows(len(one.ids) - lead, self._room - lead, limits.overlap)
            for one, lead in zip(encodings, led, strict=True)
        ]
        truncated = [
            len(text) > limits.max_characters or len(found) > limits.max_windows
            for text, found in zip(texts, spans, strict=True)
        ]
        kept = [found[: limits.max_windows] for found in spans]
        sequences, weights = [], []
        for encoding, lead, found in zip(encodings, led, kept, strict=True):
            first = [*self.head, *encoding.ids[:lead]]
            ids = encoding.ids[lead:]
            for start, stop in found:
                sequences.append([*first, *ids[start:stop], *self.tail])
                # An empty text is one window of no tokens; any weight will do, but not 0.
                weights.append(max(1, stop - start))
        return Cut(
            encodings=encodings,
            windows=kept,
            sequences=sequences,
            counts=np.array([len(found) for found in kept], np.int32),
            weights=np.array(weights, np.float32),
            truncated=np.array(truncated, np.bool_),
            unreadable=self._unreadable(heads, encodings, led, offsets),
        )

    def _led(self, encoding: Encoding) -> int:
        """How many tokens are the prefix's; one that is partly the text's is the text's."""
        size = len(self._limits.prefix)
        if not size:
            return 0
        ends = (stop for _, stop in encoding.offsets)
        return next((at for at, stop in enumerate(ends) if stop > size), len(encoding.ids))

    def _unreadable(
        self,
        texts: Sequence[str],
        encodings: Sequence[Encoding],
        led: Sequence[int],
        offsets: bool,
    ) -> Floats:
        shares = np.zeros((len(texts), 2), np.float32)
        if (unknown := self._unknown) is None:
            return shares
        for at, (text, encoding, lead) in enumerate(zip(texts, encodings, led, strict=True)):
            ids = encoding.ids
            if len(ids) > lead and unknown not in ids:
                continue  # nearly every text: nothing else is computed
            if lead or not offsets:
                encoding = self._tokenizer.encode(text, add_special_tokens=False)
            shares[at] = unread(text, encoding, unknown)
        return shares

    def warming(self) -> list[list[list[int]]]:
        """Batches of every length bucket, alone and together, so that no request pays for it."""
        limits, fill = self._limits, (self.head or self.tail)[0]
        length, batches = max(2, len(self.head) + len(self.tail)), []
        while length < limits.window:
            length = min(2 * length, limits.window)
            for rows in (1, max(1, min(8, limits.max_tokens // length))):
                batches.append([[fill] * length] * rows)
        return batches
