"""The reference router's recipes without a model.

Every text is unlike every other, so that embeddings match nothing and what passes is due to the
policy engine and the heuristics alone. With the real model: triton/test_recipes.py.
"""

import zlib
from collections.abc import Sequence

import numpy as np
import pytest

from orchestrator.inference import Embeddings
from tests.recipes import absent, failures, passes, results_of


class Dissimilar:
    """Embeds each text as a direction of its own, the same on every run."""

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        rows = [
            np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384) for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


# `api_refactor` has no keyword of its decision: whatever `domain` says, it needs an embedding.
@absent
@pytest.mark.parametrize(
    ("recipe", "passed", "of", "failed"),
    [
        pytest.param("accuracy", 13, 13, set(), id="accuracy"),
        pytest.param("agent", 18, 27, {"domain_code:api_refactor"}, id="agent"),
        pytest.param("feedback", 17, 23, set(), id="feedback"),
        pytest.param("privacy", 15, 20, set(), id="privacy"),
    ],
)
async def test_recipe(recipe, passed, of, failed):
    results = await results_of(recipe, Dissimilar())

    assert len(results) == of
    assert failures(results) == failed
    assert passes(results) >= passed
