"""What the unchanged layers make of every token, computed once and kept on disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from rich.progress import track
from transformers import PreTrainedModel

from build_engines.train.rows import Rows

Halves = npt.NDArray[np.float16]

MOST_TOKENS = 4096  # of one batch, padding included


def states(encoder: PreTrainedModel, rows: Rows, below: int, folder: Path, name: str) -> Halves:
    """The output of the first `below` layers (0: the embeddings), float16 [tokens, d].

    Kept in `folder` under the hash of the tokens: an interrupted run begins where it was.
    """
    key = hashlib.sha256(rows.ids.tobytes() + rows.lengths.tobytes()).hexdigest()[:16]
    path = folder / f"{key}-{below}.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        made = _compute(encoder, rows, below, name)
        draft = path.with_suffix(".draft.npy")
        np.save(draft, made)
        draft.rename(path)
    found: Halves = np.load(path)
    return found


def _compute(encoder: PreTrainedModel, rows: Rows, below: int, name: str) -> Halves:
    starts = np.cumsum(rows.lengths) - rows.lengths
    made = np.empty((len(rows.ids), encoder.config.hidden_size), np.float16)
    for group in track(batches(rows.lengths, MOST_TOKENS), f"{name}: layers below"):
        ids, mask = padded(rows.ids, starts[group], rows.lengths[group])
        with torch.inference_mode():
            hidden = encoder.embeddings(input_ids=ids)
            for layer in encoder.encoder.layer[:below]:
                hidden = layer(hidden, mask[:, None, None, :])
        flat = hidden[mask].to(torch.float16).numpy()
        at = 0
        for row in group:
            made[starts[row] : starts[row] + rows.lengths[row]] = flat[at : at + rows.lengths[row]]
            at += rows.lengths[row]
    return made


def batches(lengths: npt.NDArray[np.int64], most: int) -> list[npt.NDArray[np.int64]]:
    """Windows of about the same length together, at most `most` places a batch."""
    order = np.argsort(lengths, kind="stable")
    groups, start = [], 0
    for stop in range(1, len(order) + 1):
        full = stop == len(order) or (stop + 1 - start) * lengths[order[stop]] > most
        if full:
            groups.append(order[start:stop])
            start = stop
    return groups


def padded(
    ids: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of ids, int64 [rows, longest], and which places are real."""
    columns = np.arange(lengths.max())
    real = columns < lengths[:, None]
    places = np.minimum(starts[:, None] + columns, len(ids) - 1)
    return torch.from_numpy(np.where(real, ids[places], 0)), torch.from_numpy(real)
