"""How close a request comes to what is said of a model (router_dc, spec/algorithms.md 5.1).

The reference squeezes the cosine through sigmoid(cosine / temperature), which is above 0.98 for
nearly every pair, so that its `min_similarity` never bites. Here candidates are ranked by the
cosine itself, shares are its softmax, and `min_similarity` is a cosine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field


class Likeness(BaseModel):
    """Settings of router_dc that count wherever a request is compared with descriptions."""

    temperature: float = Field(default=0.07, gt=0)
    """Of the softmax that makes shares."""
    use_capabilities: bool = True
    """Adds the card's capabilities to the description."""


def model_text(description: str, capabilities: Sequence[str], use_capabilities: bool) -> str:
    """What is embedded for a model; empty where its card has no description."""
    if not description or not (use_capabilities and capabilities):
        return description
    return f"{description.rstrip('. ')}. Capabilities: {', '.join(capabilities)}"


def cosines_of(
    texts: Sequence[str], cosines: Mapping[str, float], undescribed: float
) -> list[float] | None:
    """Of each text; `undescribed` for one that is empty or was not read (NaN). None where one of
    them is not known.
    """
    if any(text and text not in cosines for text in texts):
        return None
    found = [cosines[text] if text else undescribed for text in texts]
    return [undescribed if math.isnan(cosine) else cosine for cosine in found]
