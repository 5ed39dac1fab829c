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
LOST = {
    "routing_decision": "",
    "decision_result.decision_name": "",
    "eval_trace.0.matched": False,
}
TO_LONG = {"routing_decision": "long", "eval_trace.0.matched": False}
NOT_URGENT = {"decision_result.matched_signals.words": []}
LAW = ("topic:law",)


def doubt(unknown=LAW, lawyer="unknown", long="no_match", **more):
    """The answer where the rules that are not run are unknown."""
    return {
        "signals_unknown": dict.fromkeys(unknown, "not_run"),
        "signal_errors": {},
        "eval_trace": [
            {"decision_name": "lawyer", "state": lawyer},
            {"decision_name": "long", "state": long},
        ],
    } | more


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


def needs(dependencies, probe=None, answer=None, doubting=None):
    probe = a_probe(**(probe or {}))
    answer = edited(ANSWER, answer or {})
    return dependencies.needs(probe, answer, compare(probe, answer), doubting or doubt())


@pytest.mark.parametrize(
    ("answer", "doubting"),
    [
        pytest.param(LOST, doubt((), "no_match"), id="every signal is run"),
        pytest.param(LOST, doubt(lawyer="no_match"), id="it cannot match whatever the idle say"),
        pytest.param(LOST, doubt(("size:long",)), id="unknown for another reason"),
        pytest.param(LOST, doubt(eval_trace=[]), id="the expected decision is not in the trace"),
        pytest.param(
            LOST, doubt(signal_errors={"word": "inference_timeout"}), id="a model failed meanwhile"
        ),
        pytest.param({}, doubt(), id="nothing failed"),
        pytest.param(LOST | {"recipe": "x"}, doubt(), id="the recipe is wrong too"),
        pytest.param(LOST | {"requested_model": "x"}, doubt(), id="the model is wrong too"),
        pytest.param(LOST | {"signal_errors": {"a": "b"}}, doubt(), id="a signal failed"),
        pytest.param(
            LOST | NOT_URGENT, doubt(), id="an asserted signal that is run is missing too"
        ),
        pytest.param(
            {"decision_result.plugins": []}, doubt(), id="the decision is right, the plugins wrong"
        ),
        pytest.param(
            {"selection_method": "x"}, doubt(), id="the decision is right, the selection wrong"
        ),
        pytest.param(NOT_URGENT, doubt(), id="another signal is missing, and it is run"),
    ],
)
def test_a_plain_failure(answer, doubting):
    probe = {"model": "auto"} if "requested_model" in answer else {}

    assert needs(a_dependency(topic=("law",)), probe, answer, doubting) == ()


def test_an_idle_signal_is_missing_and_the_plugins_are_wrong():
    answer = NOT_URGENT | {"decision_result.plugins": []}

    assert needs(a_dependency(word=("urgent",)), {}, answer, doubt(("word:urgent",))) == ()


@pytest.mark.parametrize(
    ("idle", "probe", "answer", "doubting", "expected"),
    [
        pytest.param(
            {"topic": ("law",)},
            {},
            LOST,
            doubt(),
            ("topic",),
            id="a leaf of the expected decision",
        ),
        pytest.param(
            {"topic": ("law",), "word": ("urgent",)},
            {},
            LOST,
            doubt((*LAW, "word:urgent")),
            ("topic", "word"),
            id="two of them",
        ),
        pytest.param(
            {"size": ("long",)},
            {},
            TO_LONG,
            doubt(("size:long",), "match", "unknown"),
            ("size",),
            id="a leaf of the decision that won over it",
        ),
        pytest.param(
            {"word": ("urgent",)},
            {},
            NOT_URGENT,
            doubt(("word:urgent",)),
            ("word",),
            id="an asserted signal is missing",
        ),
        pytest.param(
            {"size": ("long",), "topic": ("law",)},
            {"variants__0__expected_signals": {"size": ["long:hard"]}},
            LOST,
            doubt((*LAW, "size:long:hard")),
            ("size", "topic"),
            id="asserted, with a level behind the rule's name",
        ),
    ],
)
def test_needs(idle, probe, answer, doubting, expected):
    assert needs(a_dependency(**idle), probe, answer, doubting) == expected


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
    doubting = doubt(("projection:risky", "projection:secret"))

    assert needs(a_dependency((decision,), **idle), probe, LOST, doubting) == expected


def ranked(law=0, long=0, priority=30):
    """`lawyer` has priority 20; `law` and `long` are tiers."""
    one, other = DECISIONS
    update = {"tier": long, "priority": priority}
    return one.model_copy(update={"tier": law}), other.model_copy(update=update)


@pytest.mark.parametrize(
    ("decisions", "strategy", "lost"),
    [
        pytest.param(ranked(), "priority", True, id="a higher priority"),
        pytest.param(ranked(priority=20), "priority", False, id="the same priority"),
        pytest.param(ranked(priority=10), "priority", False, id="a lower priority"),
        pytest.param(ranked(), "confidence", False, id="by confidence, which is open"),
        pytest.param(ranked(law=2, long=1), "confidence", True, id="a lower tier"),
        pytest.param(ranked(law=2, long=2), "priority", False, id="the same tier"),
        pytest.param(ranked(law=1, long=2), "priority", False, id="a higher tier"),
        pytest.param(ranked(long=2), "priority", True, id="a tier against none"),
        pytest.param(ranked(law=2), "priority", False, id="none against a tier"),
    ],
)
def test_a_certain_decision_that_comes_before_leaves_nothing_open(decisions, strategy, lost):
    dependencies = a_dependency(decisions, strategy, topic=("law",))

    found = needs(dependencies, {}, TO_LONG, doubt(long="match"))

    assert found == (() if lost else ("topic",))


def test_an_expected_decision_that_the_policy_lacks_is_a_failure():
    assert needs(a_dependency(topic=("law",)), {"expected_decision": "absent"}, LOST) == ()
