"""One text and what is asked of it, before it becomes a row of a tensor."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.errors import InferenceError
from orchestrator.inference import MAX_BYTES

# Of one request. Triton can merge requests and cannot divide one, so all rows of a request wait for
# one instance while the others are idle, and each row for the longest. Against 64 rows of 16 KiB, 8
# and 64 chat requests at once, two instances on two cores: 1.5 and 1.7 times the answers a second
# where lengths are mixed, 1.2 times of 16 tokens each (2026-11).
MOST_BYTES = 1_024  # a longer text is a request of its own
MOST_ROWS = 4


@dataclass(frozen=True, slots=True)
class Row:
    text: bytes  # UTF-8
    tasks: frozenset[str] = frozenset()
    embeds: bool = True  # the embedding is wanted
    patience: float = 0.0  # seconds that the answer may take, beyond the deadline of a server


def encode(model: str, text: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Raises InferenceError for a text of more than `max_bytes`.

    A lone surrogate (half an emoji) has no UTF-8; the model reads a question mark, so that the
    positions of characters stay.
    """
    encoded = text.encode("utf-8", errors="replace")
    if len(encoded) > max_bytes:
        raise InferenceError(
            f"{model}: a text of {len(encoded)} bytes exceeds the limit of {max_bytes}"
        )
    return encoded
