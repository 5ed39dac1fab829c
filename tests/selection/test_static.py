import pytest

from orchestrator.selection.static import Static
from orchestrator.types import Candidate, Plan

SMALL, LARGE = Candidate("small"), Candidate("large")


@pytest.mark.parametrize(
    ("candidates", "plan"),
    [
        pytest.param(
            [SMALL, LARGE],
            Plan(SMALL, "static", "selected", "the first candidate"),
            id="not weight",
        ),
        pytest.param(
            [LARGE, SMALL],
            Plan(LARGE, "static", "selected", "the first candidate"),
            id="file order",
        ),
        pytest.param([SMALL], Plan(SMALL, "static", "selected", "the only candidate"), id="one"),
    ],
)
def test_first_candidate(candidates, plan):
    assert Static().plan(candidates) == plan
