"""The reference router's own recipes, scored by its own ten checks.

No model runs here: every text is unlike every other, so that embeddings match nothing and what
passes is due to the policy engine and the heuristics alone.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from orchestrator.app.names import names_of
from orchestrator.app.policies import build_policies, compile_file
from orchestrator.config.schema import profiles, strategy
from orchestrator.inference import Embeddings
from orchestrator.pipeline import Pipeline
from orchestrator.probes.dependencies import dependencies_of
from orchestrator.probes.load import load
from orchestrator.probes.runner import Result, run
from orchestrator.server.evaluate import evaluate
from orchestrator.telemetry import Telemetry

RECIPES = Path(__file__).parent.parent.parent / "shared" / "conformance" / "recipes"
absent = pytest.mark.skipif(
    not RECIPES.is_dir(), reason="the reference router's recipes are not beside this checkout"
)


class Dissimilar:
    """Embeds each text as a direction of its own, the same on every run."""

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        rows = [
            np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384) for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


async def results_of(recipe: str) -> tuple[Result, ...]:
    compiled = compile_file(RECIPES / recipe / "config.yaml")
    telemetry = Telemetry()
    policies = build_policies(compiled, Dissimilar(), telemetry.signal)
    pipeline = Pipeline(names_of(compiled.config), policies, None, telemetry)
    known = {
        profile.name: dependencies_of(
            policies[profile.name], strategy(compiled.config, profile.routing)
        )
        for profile in profiles(compiled.config)
    }
    file, probes = load(RECIPES / recipe / "probes.yaml")

    async def ask(body):
        return await evaluate(pipeline, body, trace=True)

    return await run(file, probes, ask, known.get)


@absent
@pytest.mark.parametrize(
    ("recipe", "passed", "of"),
    [
        pytest.param("accuracy", 13, 13, id="accuracy"),
        pytest.param("agent", 18, 27, id="agent"),
        pytest.param("feedback", 17, 23, id="feedback"),
        pytest.param("privacy", 15, 20, id="privacy"),
    ],
)
async def test_recipe(recipe, passed, of):
    results = await results_of(recipe)

    statuses = [result.status for result in results]
    assert len(statuses) == of
    assert [result.probe.id for result in results if result.status == "fail"] == []
    assert statuses.count("pass") >= passed
