"""What holds for selection as a whole: who answers, and what the plan says of it."""

from pathlib import Path

import pytest
import yaml

from orchestrator import selection
from orchestrator.config.decisions import Decision
from orchestrator.errors import NoRoute
from orchestrator.registry import discover
from orchestrator.selection import (
    LOOPERS,
    NOT_RUN,
    SELECTORS,
    candidates_of,
    check_algorithm,
    method_of,
    plan_for,
)
from orchestrator.types import Candidate, Plan

discover(selection)

ROOT = Path(__file__).parent.parent.parent
FIRST, SECOND, DEFAULT = Candidate("small"), Candidate("large"), Candidate("default-model")


def decision(algorithm=None, **fields):
    return Decision.model_validate({"name": "d", "algorithm": algorithm, **fields})


@pytest.mark.parametrize("method", sorted(LOOPERS))
def test_looper_is_not_run_and_says_so(method):
    plan = plan_for(decision({"type": method, method: {}}), [FIRST, SECOND], DEFAULT)

    assert (plan.chosen, plan.method, plan.status) == (FIRST, method, "execution_required")
    assert plan.reason == f"{method} is not run by this version; the first candidate answers"


@pytest.mark.parametrize("method", sorted(NOT_RUN))
def test_selector_that_is_not_run_falls_back(method):
    plan = plan_for(decision({"type": method}), [FIRST, SECOND], DEFAULT)

    assert (plan.chosen, plan.method, plan.status) == (FIRST, method, "fallback")
    assert plan.reason == f"{method} is not run by this version; the first candidate answers"


@pytest.mark.parametrize("method", sorted(NOT_RUN))
def test_without_a_choice_nothing_falls_back(method):
    plan = plan_for(decision({"type": method}), [SECOND], DEFAULT)

    assert plan == Plan(SECOND, method, "selected", "the only candidate")


def test_no_candidates_without_a_default():
    with pytest.raises(NoRoute, match="'d' names no model"):
        plan_for(decision(), [], None)


@pytest.mark.parametrize("algorithm", [None, {"type": "static"}, {"type": "fusion"}], ids=str)
def test_no_candidates_is_the_default_model(algorithm):
    plan = plan_for(decision(algorithm), [], DEFAULT)

    assert (plan.chosen, plan.method, plan.status) == (DEFAULT, "default", "selected")


def test_no_algorithm_is_static():
    assert method_of(decision()) == "static"
    assert plan_for(decision(), [FIRST, SECOND], DEFAULT).chosen == FIRST


def test_candidates_keep_the_policy_of_their_reference():
    row = decision(
        modelRefs=[
            {"model": "small"},
            {
                "model": "large",
                "lora_name": "law",
                "weight": 2.0,
                "use_reasoning": True,
                "reasoning_effort": "high",
            },
        ]
    )

    assert candidates_of(row) == (
        Candidate("small"),
        Candidate("large", "law", True, "high"),
    )


@pytest.mark.parametrize(
    ("algorithm", "path", "message"),
    [
        pytest.param({"type": "elo"}, ("type",), "unknown algorithm 'elo'", id="removed"),
        pytest.param(
            {"type": "routerdc"}, ("type",), "unknown algorithm 'routerdc'", id="spelling"
        ),
        pytest.param(
            {"type": "static", "static": {}}, ("static",), "static takes no settings", id="a block"
        ),
    ],
)
def test_invalid_algorithm(algorithm, path, message):
    [finding] = check_algorithm(algorithm)

    assert (finding.path, finding.message) == (path, message)


def test_near_miss_has_a_hint():
    [finding] = check_algorithm({"type": "routerdc"})

    assert finding.hint == "did you mean 'router_dc'?"


@pytest.mark.parametrize("method", [*sorted(LOOPERS | NOT_RUN), *SELECTORS.names(), None])
def test_known_algorithm(method):
    assert list(check_algorithm(method and {"type": method})) == []


def test_an_algorithm_is_run_or_not_run():
    assert (LOOPERS | NOT_RUN) & set(SELECTORS.names()) == set()
    assert LOOPERS & NOT_RUN == set()


@pytest.mark.parametrize("name", SELECTORS.names())
def test_fragment_is_valid(name):
    text = (ROOT / f"configs/fragments/selection/{name}.yaml").read_text()
    rows = yaml.safe_load(text)["routing"]["decisions"]

    assert name in {method_of(Decision.model_validate(row)) for row in rows}
