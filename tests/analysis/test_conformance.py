import pytest

from orchestrator.app.proofs import prove_file
from tests.recipes import RECIPES


@pytest.mark.skipif(not RECIPES.is_dir(), reason="the reference's files are not here")
@pytest.mark.parametrize("name", ["accuracy", "agent", "feedback", "privacy"])
def test_every_decision_of_a_shared_recipe_can_win(name):
    proved = prove_file(RECIPES / name / "config.yaml")

    kinds = {verdict.kind for report in proved.reports for verdict in report.verdicts}
    assert kinds == {"reachable"}


@pytest.mark.skipif(not RECIPES.is_dir(), reason="the reference's files are not here")
def test_decisions_of_the_reference_config_that_never_win():
    report, _ = prove_file(RECIPES.parent / "reference-config.yaml").reports

    shadowed = {v.decision: v.by for v in report.verdicts if v.kind == "shadowed"}
    assert shadowed["health_ratings_route"] == ("legal_confidence_route",)
    assert shadowed["fallback_knn_route"] == ("prompt_selected_route",)
