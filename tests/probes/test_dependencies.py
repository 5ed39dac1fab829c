import dataclasses

import pytest

from orchestrator import projections
from orchestrator.config.schema import Decision
from orchestrator.probes.comparison import compare
from orchestrator.probes.dependencies import dependencies_of
from orchestrator.projections import Known, sections
from orchestrator.registry import discover
from tests.probes.files import ANSWER, a_probe, edited
from tests.server.policies import DECISIONS, a_policy

discover(projections)

RISK = {
    "scores": [
        {"name": "risk", "inputs": [{"type": "topic", "name": "law", "weight": 1}]},
        {
            "name": "danger",
            "inputs": [{"type": "projection", "name": "risk", "weight": 1}],
        },
        {
            "name": "secrecy",
            "inputs": [{"type": "kb_metric", "kb": "b", "metric": "best_score", "weight": 1}],
        },
    ],
    "mappings": [
        {"name": "m1", "source": "danger", "outputs": [{"name": "risky", "gte": 0.5}]},
        {"name": "m2", "source": "secrecy", "outputs": [{"name": "secret", "gte": 0.5}]},
    ],
}
BY_RISK = Decision(
    name="lawyer", priority=20, rules={"type": "projection", "name": "risky"}, modelRefs=[]
)
BY_SECRET = Decision(
    name="lawyer", priority=20, rules={"type": "projection", "name": "secret"}, modelRefs=[]
)
NEITHER = {"routing_decision": "", "decision_result.decision_name": ""}
LOST = NEITHER | {"eval_trace.0.matched": False}
NOT_URGENT = {"decision_result.matched_signals.words": []}


def a_dependency(decisions=DECISIONS, strategy="priority", **idle):
    rows = {
        section: [sections()[section].Rule.model_validate(row) for row in RISK[section]]
        for section in RISK
    }
    known = Known({"topic": ("law",)})
    policy = dataclasses.replace(
        a_policy({}, decisions), idle=idle, projections=projections.build(rows, known)
    )
    return dependencies_of(policy, strategy)


def needs(dependencies, probe=None, answer=None):
    probe = a_probe(**(probe or {}))
    return dependencies.needs(probe, compare(probe, edited(ANSWER, answer or {})))


@pytest.mark.parametrize(
    ("idle", "answer"),
    [
        pytest.param({}, LOST, id="every signal is run"),
        pytest.param({"size": ("long",)}, LOST, id="an idle signal of a lower decision"),
        pytest.param({"topic": ("history",)}, LOST, id="an idle rule that nothing reads"),
        pytest.param({"topic": ("law",)}, {}, id="nothing failed"),
        pytest.param({"topic": ("law",)}, LOST | {"recipe": "x"}, id="the recipe is wrong too"),
        pytest.param(
            {"topic": ("law",)}, LOST | {"requested_model": "x"}, id="the model is wrong too"
        ),
        pytest.param(
            {"topic": ("law",)}, LOST | {"signal_errors": {"a": "b"}}, id="a signal failed"
        ),
        pytest.param(
            {"topic": ("law",)},
            {"decision_result.plugins": []},
            id="the decision is right, its plugins are wrong",
        ),
        pytest.param(
            {"topic": ("law",)},
            {"selection_method": "x"},
            id="the decision is right, its selection is wrong",
        ),
        pytest.param(
            {"topic": ("law",)}, NOT_URGENT, id="another signal is missing, and it is run"
        ),
        pytest.param(
            {"word": ("urgent",)},
            NOT_URGENT | {"decision_result.plugins": []},
            id="an idle signal is missing, and the plugins are wrong",
        ),
    ],
)
def test_a_plain_failure(idle, answer):
    probe = {"model": "auto"} if "requested_model" in answer else {}

    assert needs(a_dependency(**idle), probe, answer) == ()


@pytest.mark.parametrize(
    ("idle", "probe", "answer", "expected"),
    [
        pytest.param(
            {"topic": ("law",)}, {}, LOST, ("topic",), id="a leaf of the expected decision"
        ),
        pytest.param(
            {"topic": ("law",), "word": ("urgent",)},
            {},
            LOST,
            ("topic", "word"),
            id="two of them",
        ),
        pytest.param(
            {"topic": ("law",)},
            {"expected_decision": "long"},
            {},
            ("topic",),
            id="a leaf of a decision that outranks it",
        ),
        pytest.param(
            {"word": ("urgent",)}, {}, NOT_URGENT, ("word",), id="an asserted signal is missing"
        ),
        pytest.param(
            {"size": ("long",)},
            {"variants__0__expected_signals": {"size": ["long:hard"]}},
            LOST,
            ("size",),
            id="asserted, with a level behind the rule's name",
        ),
    ],
)
def test_needs(idle, probe, answer, expected):
    assert needs(a_dependency(**idle), probe, answer) == expected


@pytest.mark.parametrize(
    ("decision", "idle", "expected"),
    [
        pytest.param(BY_RISK, {"word": ("urgent",)}, (), id="not among the inputs"),
        pytest.param(BY_RISK, {"topic": ("cooking",)}, (), id="another rule of the family"),
        pytest.param(BY_RISK, {"topic": ("law",)}, ("topic",), id="a score of a score"),
        pytest.param(BY_SECRET, {"kb": ("any",)}, ("kb",), id="a metric of a knowledge base"),
    ],
)
def test_through_projections(decision, idle, expected):
    probe = {"expected_signals": {}, "forbidden_signals": {}}

    assert needs(a_dependency((decision,), **idle), probe, LOST) == expected


@pytest.mark.parametrize(
    ("strategy", "tier", "expected"),
    [
        pytest.param("priority", 0, (), id="a lower priority never wins"),
        pytest.param("confidence", 0, ("size",), id="by confidence any decision may win"),
        pytest.param("priority", 1, ("size",), id="with tiers any decision may win"),
    ],
)
def test_which_decisions_outrank_depends_on_the_strategy(strategy, tier, expected):
    law, long = DECISIONS
    decisions = (law.model_copy(update={"tier": tier}), long)

    assert needs(a_dependency(decisions, strategy, size=("long",)), {}, LOST) == expected


def test_an_expected_decision_that_the_policy_lacks_is_a_failure():
    assert needs(a_dependency(topic=("law",)), {"expected_decision": "absent"}, LOST) == ()
