"""What an engine of a text model runs before it is ready: every bucket, with real tokens.

Zeros would do for time, not for what a network that is fed no token computes: a division by none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from build_engines.fleet.pbtxt import Sample, Tensor
from build_engines.gpu.spec import GpuText
from build_engines.gpu.tensors import INPUT_IDS, LENGTHS

FOLDER = "warmup"  # where Triton looks for the files
TEXT = (
    "Please compare the two offers in the attached letter, say which one costs less over three "
    "years, and write a short answer to Anna Keller in Basel that I can send today. "
)


def sequence(tokenizer: Path, size: int) -> list[int]:
    """`size` tokens of ordinary words, with special ones at the ends."""
    read = Tokenizer.from_file(str(tokenizer))
    read.no_truncation()
    read.no_padding()
    words = read.encode(TEXT, add_special_tokens=False).ids
    framed = read.encode(TEXT).ids
    at = framed.index(words[0])
    head, tail = framed[:at], framed[at + len(words) :]
    room = size - len(head) - len(tail)
    return [*head, *(words * (room // len(words) + 1))[:room], *tail]


def shapes(gpu: GpuText) -> list[tuple[int, int, tuple[int, ...]]]:
    """Windows, places, and the batches that are run of them."""
    batches = tuple(sorted({1, gpu.optimal, gpu.batch}))
    found = [(1, length, batches) for length in gpu.lengths]
    return found if gpu.windows == 1 else [*found, (gpu.windows, gpu.lengths[-1], (1,))]


def samples(gpu: GpuText) -> list[Sample]:
    return [
        Sample(
            f"{windows} x {length} tokens, batch {batch}",
            batch,
            {
                Tensor(INPUT_IDS, "INT32", (windows, length)): f"ids_{windows}x{length}",
                Tensor(LENGTHS, "INT32", (windows,)): f"lengths_{windows}x{length}",
            },
        )
        for windows, length, batches in shapes(gpu)
        for batch in batches
    ]


def files(gpu: GpuText, tokenizer: Path) -> dict[str, bytes]:
    """Name -> int32, little-endian, of one text: Triton makes as many requests as a batch has."""
    found = {}
    for windows, length, _ in shapes(gpu):
        ids = np.tile(np.array(sequence(tokenizer, length), "<i4"), (windows, 1))
        found[f"ids_{windows}x{length}"] = ids.tobytes()
        found[f"lengths_{windows}x{length}"] = np.full(windows, length, "<i4").tobytes()
    return found
