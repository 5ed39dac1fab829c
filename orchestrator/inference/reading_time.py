"""How much a family reads of a request, in what it costs to read: tokens, not bytes."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.matching.packs import MOST_PACKS
from orchestrator.matching.pieces import LEAST, MOST_BYTES, MOST_READ, PART_BYTES
from orchestrator.matching.samples import sample
from orchestrator.matching.tokens import tokens

# 8 KiB of prose; a deadline is meant for so much.
USUAL = 2_048
# A piece of more is read once in part, and then again in smaller ones (`questions.ask`).
AT_ONCE = 3_584
# What a question costs of itself, in tokens.
EACH = LEAST // 4


def times_more(count: float) -> float:
    """How many times USUAL there is beyond the first."""
    return max(0.0, count / USUAL - 1)


def of_sample(text: str) -> float:
    """`times_more` for a family that reads a sample of `text`."""
    if len(text) <= USUAL and text.isascii():
        return 0.0
    return times_more(tokens(sample(text, MOST_BYTES)[0]))


def of_pieces(texts: Sequence[str]) -> float:
    """`times_more` for a family that reads `texts` in pieces, the first as much as all others."""
    first, *others = texts
    questions = EACH * min(len(others), MOST_PACKS)
    if len(first) + sum(map(len, others)) + questions <= USUAL // 4:
        return 0.0
    return times_more(_cost(first) + _cost("\n".join(others)) + questions)


def _cost(text: str) -> float:
    data = text.encode("utf-8", "replace")
    if not data:
        return 0.0
    read = min(len(data), MOST_READ)
    count = tokens(data) * read / len(data)
    pieces = read / (len(data) if len(data) <= MOST_BYTES else PART_BYTES)
    return count + AT_ONCE * pieces if count > AT_ONCE * pieces else count
