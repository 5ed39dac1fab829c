"""The reference router's recipes with the published model in a real Triton."""

import pytest
import pytest_asyncio

from orchestrator.inference.triton import TritonInference
from tests.recipes import absent, failures, passes, results_of

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session"), absent]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def inference(triton):
    client = TritonInference([triton], timeout_s=30.0)
    yield client
    await client.close()


# `api_refactor` has no keyword of its decision and needs `coding_workflows` at 0.75, a threshold
# made for another encoder: all-MiniLM-L6-v2 gives 0.20, so it fails whatever `domain` would say.
@pytest.mark.parametrize(
    ("recipe", "passed", "of", "failed"),
    [
        pytest.param("accuracy", 13, 13, set(), id="accuracy"),
        pytest.param("agent", 20, 27, {"domain_code:api_refactor"}, id="agent"),
        pytest.param("feedback", 17, 23, set(), id="feedback"),
        pytest.param("privacy", 17, 20, set(), id="privacy"),
    ],
)
async def test_recipe(inference, recipe, passed, of, failed):
    results = await results_of(recipe, inference)

    assert len(results) == of
    assert {(probe.id, probe.error) for probe in results if probe.error} == set()
    assert failures(results) == failed
    assert passes(results) >= passed
