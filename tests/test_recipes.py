"""The reference router's recipes without a model.

Every text is unlike every other, so that embeddings match nothing and what passes is due to the
policy engine and the heuristics alone. With the real model: triton/test_recipes.py.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pytest

from orchestrator.inference import Classification, Embeddings
from orchestrator.signals import SIGNALS
from tests.recipes import absent, failures, passes, results_of

NOTHING = {
    "domain": "other",
    "jailbreak": "benign",
    "fact_check": "NO_FACT_CHECK_NEEDED",
    "user_feedback": "SAT",
    "modality": "AR",
}


class Dissimilar:
    """Embeds each text as a direction of its own, the same on every run; classifies each as the
    one that asks for nothing."""

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        rows = [
            np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384) for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        labels = {
            task: {label: float(label == NOTHING.get(task)) for label in known}
            for task, known in self.labels(model).items()
        }
        said = {task: labels[task] for task in tasks if task in NOTHING}
        return [Classification(said, {"pii": ()} if "pii" in tasks else {}) for _ in texts]

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        families = [SIGNALS[family] for family in SIGNALS.names()]
        return {task: labels for one in families for task, labels in one.tasks.items()}

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        return {}


# What fails needs one text to mean the same as another (an embedding of its decision, the hard
# examples of a complexity rule, a turn asked once more in other words), or a classifier's verdict.
AGENT = {
    "domain_business:market_entry",
    "domain_code:api_refactor",
    "domain_code_complex:architecture_tradeoffs",
    "domain_code_complex:distributed_debugging",
    "domain_stem_research:physics_evidence",
    "medium_general:concept_explanation",
    "medium_general:followup",
    "simple_math_fast_path:arithmetic",
    "simple_math_fast_path:percentage",
}
FEEDBACK = {
    "feedback_code_recovery:one_prior_code_retry",
    "feedback_code_recovery:react_render_bug",
    "feedback_persistent_code_recovery:repeated_javascript_type_error",
    "feedback_persistent_code_recovery:repeated_python_type_error",
    "feedback_persistent_recovery:repeated_inflation_retry",
}
PRIVACY = {
    "cloud_frontier_reasoning:cn_strategy_tradeoffs",
    "cloud_frontier_reasoning:deep_root_cause_memo",
}


@absent
@pytest.mark.parametrize(
    ("recipe", "passed", "of", "failed"),
    [
        pytest.param("accuracy", 13, 13, set(), id="accuracy"),
        pytest.param("agent", 18, 27, AGENT, id="agent"),
        pytest.param("feedback", 18, 23, FEEDBACK, id="feedback"),
        pytest.param("privacy", 15, 20, PRIVACY, id="privacy"),
    ],
)
async def test_recipe(recipe, passed, of, failed):
    results = await results_of(recipe, Dissimilar())

    assert len(results) == of
    assert failures(results) == failed
    assert passes(results) >= passed
