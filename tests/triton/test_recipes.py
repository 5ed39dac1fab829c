"""The reference router's recipes with the published model in a real Triton."""

import pytest
import pytest_asyncio

from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.inference.tasks import load_tasks
from orchestrator.inference.triton import TritonInference
from tests.recipes import RECIPES, absent, failures, passes, results_of

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session"), absent]

ASSETS = RECIPES.parent  # has the knowledge bases of the recipes


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def inference(triton):
    tasks = {TEXT_SIGNALS: load_tasks(default_repository(), TEXT_SIGNALS)}
    client = TritonInference([triton], timeout_s=30.0, tasks=tasks)
    yield client
    await client.close()


# Thresholds of the recipes were made for other models. What fails here, and why:
# agent: `api_refactor` needs `coding_workflows` at 0.75 (0.20 under all-MiniLM-L6-v2), and
# `physics_evidence` a margin above 0.12 (0.107); our domain classifier finds business in taking
# notes and a subject in an everyday sentence in Spanish. feedback: our classifiers are not asked in
# Chinese, and fact check wants facts for explanations. privacy: at the recipe's threshold of 0.45
# our jailbreak classifier takes three harmless orders for attacks, and a contrastive rule the words
# "no confidential data" for private data.
@pytest.mark.parametrize(
    ("recipe", "passed", "of", "failed"),
    [
        pytest.param("accuracy", 13, 13, set(), id="accuracy"),
        pytest.param(
            "agent",
            23,
            27,
            {
                "domain_code:api_refactor",
                "domain_stem_research:physics_evidence",
                "medium_general:concept_explanation",
                "simple_general:multilingual_unmatched",
            },
            id="agent",
        ),
        pytest.param(
            "feedback",
            19,
            23,
            {
                "feedback_general_recovery:cn_economic_recovery",
                "feedback_verified_recovery:cn_medical_verification",
                "feedback_persistent_recovery:repeated_inflation_retry",
                "feedback_persistent_recovery:repeated_pythagorean_retry",
            },
            id="feedback",
        ),
        pytest.param(
            "privacy",
            16,
            20,
            {
                "cloud_frontier_reasoning:architecture_tradeoffs",
                "cloud_frontier_reasoning:public_contrastive_override",
                "local_privacy_policy:filtered_tool_scope",
                "local_privacy_policy:private_reasoning_collision",
            },
            id="privacy",
        ),
    ],
)
async def test_recipe(inference, recipe, passed, of, failed):
    results = await results_of(recipe, inference, ASSETS)

    assert len(results) == of
    assert {(probe.id, probe.error) for probe in results if probe.error} == set()
    assert failures(results) == failed
    assert passes(results) >= passed
