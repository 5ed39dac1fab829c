"""An encoder over the tokens of several rows that lie end to end (see `export_onnx`).

All but attention works on the tokens as they are. Attention puts them into rows and takes them out
again; the rest of the checkpoint's own code is exported as it is.
"""

from __future__ import annotations

import torch
from transformers import AttentionInterface, PreTrainedModel

from build_engines.encoders.families import FULL, Family, Sight

PACKED = "packed"
HIDDEN = 1e4  # is 0 after a softmax, and fits into float16


def register() -> None:
    """Make `PACKED` known to transformers."""
    AttentionInterface.register(PACKED, packed_attention)


def states(
    encoder: PreTrainedModel,
    family: Family,
    input_ids: torch.Tensor,
    grid: torch.Tensor,
    place: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What the last layer makes of each token, [tokens, d]; then two of [rows, longest]: 1 where
    there is a token and 0 where not, and the index of each place's token, 0 where there is none.

    `encoder` is loaded with `PACKED`.
    """
    real = grid.ge(0).to(torch.float32)
    grid = grid.clamp(min=0)
    columns = torch.arange(grid.shape[1]).expand(grid.shape).reshape(-1)
    ids = input_ids[None]
    masks = {name: _mask(sight, real) for name, sight in family.sights.items()}
    positions = columns.index_select(0, place)[None]
    more: dict[str, object] = {}
    if family.token_types:
        more["token_type_ids"] = torch.zeros_like(input_ids)[None]
    out = encoder(
        input_ids=ids,
        # Four dimensions go to the attention as they are.
        attention_mask=masks if family.typed else masks[FULL],
        position_ids=positions + family.first_place if family.first_place else positions,
        grid=grid,
        place=place,
        **more,
    )
    return out.last_hidden_state[0], real, grid


def _mask(sight: Sight, real: torch.Tensor) -> torch.Tensor:
    """Added to scores: [rows, 1, 1 or longest, longest]."""
    if not sight.causal and sight.reach is None:
        return (real - 1)[:, None, None, :] * HIDDEN
    columns = torch.arange(real.shape[1])
    behind = columns[:, None] - columns[None, :]  # of a query before its key: negative
    seen = behind.abs() <= (real.shape[1] if sight.reach is None else sight.reach)
    if sight.causal:
        seen = seen & (behind >= 0)
    return (seen.to(torch.float32) * real[:, None, None, :] - 1) * HIDDEN


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    grid: torch.Tensor,
    place: torch.Tensor,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Attention of [1, heads, tokens, d] within the rows of `grid`; gives [1, tokens, heads, d].

    Keys and values may have fewer heads than queries: several queries then share one.
    """
    heads, size = query.shape[1], query.shape[3]

    def rows(flat: torch.Tensor) -> torch.Tensor:
        own = flat.shape[1]
        wide = torch.nn.functional.embedding(grid, flat.transpose(1, 2).reshape(-1, own * size))
        split = wide.reshape(*grid.shape, own, size).transpose(1, 2)
        return split if own == heads else split.repeat_interleave(heads // own, dim=1)

    scores = torch.matmul(rows(query), rows(key).transpose(2, 3)) * scaling + attention_mask
    seen = torch.matmul(torch.softmax(scores, -1), rows(value))
    flat = seen.transpose(1, 2).reshape(-1, heads * size)
    return torch.nn.functional.embedding(place, flat).reshape(1, -1, heads, size), None
