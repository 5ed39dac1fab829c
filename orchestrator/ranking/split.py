"""A weighted split that sends the same session to the same candidate.

Rendezvous hashing (Thaler and Ravishankar 1998) with weights (Schindelhauer and Schomaker 2005):
changing a weight moves only the sessions that it has to, and the order in the file plays no part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b


def pick(names: Sequence[str], weights: Sequence[float], session: str) -> int:
    """The position of the candidate for `session`; shares are as the weights, over many sessions.

    Weights are at least 0, and one of them is above. Names may repeat.
    """
    seen: Counter[str] = Counter()
    best, position = -math.inf, 0
    for at, (name, weight) in enumerate(zip(names, weights, strict=True)):
        seen[name] += 1
        if weight > 0:
            chance = _chance(f"{session}\0{name}\0{seen[name]}")
            score = math.log(weight) - math.log(-math.log(chance))
            if score > best:
                best, position = score, at
    return position


def _chance(text: str) -> float:
    """Evenly spread over (0, 1)."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return (int.from_bytes(digest, "big") + 0.5) / (1 << 56)
