"""Who answers a decision's requests, before anything is known of one."""

import pytest

from orchestrator import selection
from orchestrator.choosing.building import block_of, choice_of, method_of
from orchestrator.choosing.catalogue import (
    Entry,
    candidates_of,
    catalogue,
    contenders_of,
    qualities,
)
from orchestrator.config.decisions import Decision
from orchestrator.config.schema import Config
from orchestrator.errors import NoRoute
from orchestrator.registry import discover
from orchestrator.selection import LOOPERS, SELECTORS, Surroundings
from orchestrator.types import Candidate, Plan

discover(selection)

FIRST, SECOND, DEFAULT = Candidate("small"), Candidate("large"), Candidate("default-model")
REFS = ({"model": "small"}, {"model": "large"})


def decision(algorithm=None, refs=REFS, **fields):
    return Decision.model_validate(
        {"name": "d", "algorithm": algorithm, "modelRefs": refs, **fields}
    )


def choice(algorithm=None, refs=REFS, default=DEFAULT, around=None, **fields):
    row = decision(algorithm, refs, **fields)
    return choice_of(row, contenders_of(row), default, around)


@pytest.mark.parametrize("method", sorted(LOOPERS))
def test_looper_is_not_run_and_says_so(method):
    found = choice({"type": method, method: {}})

    reason = f"{method} is not run by this version; the first candidate answers"
    assert found.plan == Plan(FIRST, method, "execution_required", reason)
    assert found.selector is None


@pytest.mark.parametrize("method", SELECTORS.names())
def test_without_a_choice_nobody_is_asked(method):
    """Nor is an artefact read."""
    found = choice({"type": method}, REFS[1:])

    assert found.plan == Plan(SECOND, method, "selected", "the only candidate")
    assert found.selector is None


def test_no_candidates_without_a_default():
    with pytest.raises(NoRoute, match="'d' names no model"):
        choice(refs=(), default=None)


@pytest.mark.parametrize("algorithm", [None, {"type": "knn"}, {"type": "fusion"}], ids=str)
def test_no_candidates_is_the_default_model(algorithm):
    plan = choice(algorithm, ()).plan

    assert (plan.chosen, plan.method, plan.status) == (DEFAULT, "default", "selected")


def test_no_algorithm_is_static_and_costs_requests_nothing():
    found = choice(tier=3)

    assert method_of(decision()) == "static"
    assert (found.plan.chosen, found.selector, found.tier) == (FIRST, None, 3)


@pytest.mark.parametrize(
    ("algorithm", "refs"),
    [
        pytest.param(None, ({"model": "a", "weight": 1}, {"model": "b"}), id="weights"),
        pytest.param(
            {"type": "latency_aware", "latency_aware": {"tpot_percentile": 9}}, REFS, id="latencies"
        ),
        pytest.param({"type": "automix"}, REFS, id="the standing"),
    ],
)
def test_what_hangs_on_the_request_is_asked_each_time(algorithm, refs):
    assert choice(algorithm, refs).selector is not None


def test_settings_of_the_decision_win_over_those_of_the_policy():
    around = Surroundings({"router_dc": {"temperature": 0.5, "min_similarity": 0.1}})
    row = decision({"type": "router_dc", "router_dc": {"min_similarity": 0.2}})

    assert block_of(row, "router_dc", around) == {"temperature": 0.5, "min_similarity": 0.2}


def test_an_artefact_that_is_missing():
    found = choice({"type": "knn"})

    assert (found.plan.chosen, found.plan.status, found.selector) == (FIRST, "fallback", None)
    assert "ml.models_path is not set" in found.plan.reason


def test_candidates_keep_the_policy_of_their_reference():
    refs = (
        {"model": "small"},
        {"model": "large", "lora_name": "law", "use_reasoning": True, "reasoning_effort": "high"},
    )

    assert candidates_of(decision(refs=refs)) == (
        Candidate("small"),
        Candidate("large", "law", True, "high"),
    )


CONFIG = Config.model_validate(
    {
        "providers": {
            "models": [
                {"name": "large", "pricing": {"prompt_per_1m": 2.5}},
                {"name": "bare", "pricing": {}},
            ]
        },
        "routing": {
            "modelCards": [
                {
                    "name": "large",
                    "description": " thinks ",
                    "capabilities": ["chat"],
                    "quality_score": 0.9,
                    "loras": [{"name": "law", "description": "law"}, {"name": "tax"}],
                },
                {"name": "small", "quality_score": 90},
            ]
        },
    }
)


def test_what_a_policy_says_of_models():
    entries = catalogue(CONFIG)

    assert entries["large"] == Entry("thinks", ("chat",), 0.9, 2.5, {"law": "law", "tax": ""})
    assert entries["bare"] == Entry(price=0.0)
    assert entries["small"].price is None
    assert qualities(entries) == {"large": 0.9, "law": 0.9, "tax": 0.9, "small": 1.0}


def test_what_selectors_are_told_of_candidates():
    refs = (
        {"model": "large", "weight": 2},
        {"model": "large", "lora_name": "law"},
        {"model": "large", "lora_name": "tax"},
        {"model": "small"},
        {"model": "stranger"},
    )
    found = contenders_of(decision(refs=refs), catalogue(CONFIG))

    assert [one.description for one in found] == ["thinks", "law", "thinks", "", ""]
    assert [one.price for one in found] == [2.5, 2.5, 2.5, None, None]
    assert [one.quality for one in found] == [0.9, 0.9, 0.9, 1.0, None]
    assert [one.weight for one in found] == [2, None, None, None, None]
