"""What precision is measured on: golden texts or pictures, and texts written for training.

A batch holds windows of one bucket, each as a text of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from build_engines.gpu.profiles import bucket
from build_engines.gpu.tensors import INPUT_IDS, LENGTHS, PIXELS
from build_engines.vision.served import module

DATA = Path(__file__).parent.parent / "data"
WRITTEN = 600  # texts; with five tasks one label of 3,000 is 0.03 %
PLACE = "{"  # stands for a value in a template of personal data

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Batch:
    inputs: Arrays
    lengths: tuple[int, ...]  # real tokens of each row; of pictures none


def written(count: int = WRITTEN, folder: Path = DATA) -> list[str]:
    """About `count` lines of the committed texts, evenly from all files."""
    lines = [
        line
        for path in sorted(folder.glob("*/*.txt"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.strip() and not line.startswith("# ") and PLACE not in line
    ]
    return lines[:: max(1, len(lines) // count)]


def golden(folder: Path) -> list[str]:
    """The golden texts of a published model."""
    stated = json.loads((folder / "goldens.json").read_text(encoding="utf-8"))
    return [str(text) for text in stated["texts"]]


def windows(
    texts: Sequence[str], code: Path, tokenizer: Path, settings: Mapping[str, str]
) -> list[list[int]]:
    """Token ids of every window, cut by the served code in the folder `code`."""
    sequences_: Any = module(code, "sequences")
    cutter = sequences_.Cutter(
        Tokenizer.from_file(str(tokenizer)), sequences_.Limits.read(settings)
    )
    cut = cutter.cut(texts)
    sequences: list[list[int]] = cut.sequences
    return sequences


def of_windows(
    sequences: Sequence[Sequence[int]], lengths: Sequence[int], size: int
) -> Iterator[Batch]:
    """Batches of at most `size`, short ones first; every bucket that a window needs is used."""
    groups: dict[int, list[Sequence[int]]] = {length: [] for length in lengths}
    for sequence in sorted(sequences, key=len):
        groups[bucket(lengths, len(sequence))].append(sequence)
    for places, group in groups.items():
        for at in range(0, len(group), size):
            rows = group[at : at + size]
            ids = np.zeros((len(rows), 1, places), np.int32)
            for row, sequence in enumerate(rows):
                ids[row, 0, : len(sequence)] = sequence
            counts = np.array([[len(sequence)] for sequence in rows], np.int32)
            yield Batch({INPUT_IDS: ids, LENGTHS: counts}, tuple(map(len, rows)))


def of_pictures(pixels: npt.NDArray[np.float32], size: int) -> Iterator[Batch]:
    """`pixels` [pictures, 3, s, s] in batches of at most `size`."""
    for at in range(0, len(pixels), size):
        part = pixels[at : at + size]
        yield Batch({PIXELS: part}, ())
