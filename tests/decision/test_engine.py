"""The engine against its rules of order, and against a plain interpreter of the same trees."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.decisions import Decision, Node
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading, Verdict


def leaf(name: str) -> dict[str, Any]:
    return {"type": "f", "name": name}


def decision(name: str, rules: dict[str, Any] | None = None, **fields: Any) -> Decision:
    return Decision.model_validate({"name": name, "rules": rules, **fields})


FACTS = Facts(
    {"f": Reading(matches={"word": None, "low": 0.3, "high": 0.9}, unknown={"broken": "timeout"})}
)
CATCH_ALL = decision("rest")
WORD = decision("word", leaf("word"))
LOW = decision("low", leaf("low"))
HIGH = decision("high", leaf("high"))
EITHER = decision("either", {"operator": "OR", "conditions": [leaf("word"), leaf("low")]})


def with_(rule: Decision, **fields: Any) -> Decision:
    return rule.model_copy(update=fields)


def winner(decisions: list[Decision], strategy: str = "priority") -> str | None:
    verdict = Engine(decisions, strategy).decide(FACTS)
    return verdict.decision if verdict else None


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(leaf("absent"), id="rule did not match"),
        pytest.param(leaf("broken"), id="unknown"),
        pytest.param({"operator": "NOT", "conditions": [leaf("broken")]}, id="NOT unknown"),
        pytest.param({"operator": "AND", "conditions": [leaf("word"), leaf("broken")]}, id="AND"),
        pytest.param({"operator": "OR", "conditions": [leaf("absent"), leaf("broken")]}, id="OR"),
        pytest.param({"operator": "OR", "conditions": []}, id="OR of nothing"),
    ],
)
@pytest.mark.parametrize("strategy", ["priority", "confidence"])
def test_does_not_match(rules, strategy):
    assert winner([decision("d", rules)], strategy) is None


def test_nothing_to_choose_from():
    assert winner([]) is None


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        pytest.param([with_(LOW, priority=9), with_(HIGH, priority=1)], "low", id="priority first"),
        pytest.param([LOW, HIGH], "high", id="then confidence"),
        pytest.param([WORD, LOW], "low", id="no pseudo-confidence over a real score"),
        pytest.param([CATCH_ALL, WORD], "word", id="no rules come last"),
        pytest.param([with_(CATCH_ALL, priority=1), HIGH], "rest", id="unless they have priority"),
        pytest.param([with_(HIGH, name="b"), with_(HIGH, name="a")], "a", id="then the name"),
        pytest.param([with_(HIGH, priority=-1)], "high", id="negative priority"),
    ],
)
def test_priority_strategy(decisions, expected):
    assert winner(decisions) == expected
    assert winner(decisions[::-1]) == expected, "the order in the file does not matter"


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        pytest.param([with_(LOW, priority=9), HIGH], "high", id="confidence first"),
        pytest.param([with_(WORD, priority=9), LOW], "low", id="a real score over none"),
        pytest.param([with_(CATCH_ALL, priority=9), WORD], "word", id="no rules come last"),
        pytest.param(
            [with_(HIGH, name="b", priority=2), with_(HIGH, name="a", priority=1)],
            "b",
            id="then priority",
        ),
        pytest.param([with_(HIGH, name="b"), with_(HIGH, name="a")], "a", id="then the name"),
        pytest.param([HIGH, EITHER], "high", id="a word beside a lower score does not win"),
        pytest.param([LOW, EITHER], "either", id="nor does it lose"),
    ],
)
def test_confidence_strategy(decisions, expected):
    assert winner(decisions, "confidence") == expected
    assert winner(decisions[::-1], "confidence") == expected


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        pytest.param([with_(HIGH, priority=99), with_(WORD, tier=2)], "word", id="unset tier last"),
        pytest.param([with_(HIGH, tier=2), with_(WORD, tier=1)], "word", id="lowest tier first"),
        pytest.param(
            [with_(LOW, tier=1, priority=99), with_(HIGH, tier=1)], "high", id="then confidence"
        ),
        pytest.param([with_(WORD, tier=1), with_(LOW, tier=1)], "low", id="measured before not"),
        pytest.param(
            [with_(LOW, priority=9), HIGH, decision("absent", leaf("absent"), tier=1)],
            "low",
            id="tiers of decisions that do not match are no tiers",
        ),
    ],
)
def test_tiers(decisions, expected):
    assert winner(decisions) == expected
    assert winner(decisions[::-1]) == expected


def test_verdict_says_whether_the_confidence_was_measured():
    assert Engine([HIGH]).decide(FACTS) == Verdict("high", 0.9, True)
    assert Engine([WORD]).decide(FACTS) == Verdict("word", 1.0, False)
    assert Engine([CATCH_ALL]).decide(FACTS) == Verdict("rest", 0.0, False)


def test_families_and_used_rules():
    rules = {
        "operator": "AND",
        "conditions": [
            leaf("b"),
            {"operator": "NOT", "conditions": [{"type": "g", "name": "x"}]},
            leaf("a"),
            leaf("b"),
        ],
    }
    engine = Engine([decision("d", rules), CATCH_ALL])

    assert engine.families == {"f", "g"}
    assert engine.leaves_of("d") == {"f": ("b", "a"), "g": ("x",)}
    assert engine.leaves_of("rest") == {}


# ---- the same trees, interpreted directly -------------------------------------------------

NAMES = [(family, name) for family in ("f", "g") for name in ("a", "b", "c")]


def nodes() -> st.SearchStrategy[Node]:
    leaves = st.sampled_from(NAMES).map(lambda pair: Node(type=pair[0], name=pair[1]))

    def composite(children: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        many = st.lists(children, max_size=4).map(tuple)
        return st.one_of(
            st.builds(Node, operator=st.sampled_from(["AND", "OR"]), conditions=many),
            st.builds(Node, operator=st.just("NOT"), conditions=st.tuples(children)),
        )

    return st.recursive(leaves, composite, max_leaves=25)


def readings() -> st.SearchStrategy[Facts]:
    one = st.sampled_from(["absent", "unknown", None, 0.0, 0.25, 0.5, 1.0])

    def facts(outcomes: list[Any]) -> Facts:
        found: dict[str, Reading] = {}
        for family in ("f", "g"):
            own = {n: o for (f, n), o in zip(NAMES, outcomes, strict=True) if f == family}
            found[family] = Reading(
                matches={n: o for n, o in own.items() if o not in ("absent", "unknown")},
                unknown={n: "timeout" for n, o in own.items() if o == "unknown"},
            )
        return Facts(found)

    return st.tuples(*[one] * len(NAMES)).map(facts)


def interpret(node: Node | None, facts: Facts) -> tuple[bool | None, float, float | None]:
    """Truth (None: unknown), confidence as in spec/decisions.md 3.2, evidence."""
    if node is None:
        return True, 0.0, None
    if node.type is not None:
        reading = facts.readings[node.type]
        if node.name in reading.matches:
            score = reading.matches[node.name]
            return (True, 1.0, None) if score is None else (True, score, score)
        return None if node.name in reading.unknown else False, 0.0, None
    parts = [interpret(child, facts) for child in node.conditions]
    truths = [truth for truth, _, _ in parts]
    if node.operator == "NOT":
        return (None, 0.0, None) if truths[0] is None else (not truths[0], 1.0, None)
    if node.operator == "AND":
        if all(truth is True for truth in truths):
            mean = sum(score for _, score, _ in parts) / len(parts) if parts else 0.0
            measured = any(evidence is not None for _, _, evidence in parts)
            return True, mean, mean if measured else None
        return False if False in truths else None, 0.0, None
    matched = [(score, evidence) for truth, score, evidence in parts if truth is True]
    if matched:
        real = [evidence for _, evidence in matched if evidence is not None]
        return True, max(score for score, _ in matched), max(real, default=None)
    return None if None in truths else False, 0.0, None


@given(rules=nodes(), facts=readings())
def test_compiled_trees_equal_interpreted_ones(rules, facts):
    truth, score, evidence = interpret(rules, facts)
    engine = Engine([Decision(name="d", rules=rules)])

    verdict = engine.decide(facts)
    [trace] = engine.trace(facts)

    assert trace["state"] == {True: "match", False: "no_match", None: "unknown"}[truth]
    if truth is True:
        assert verdict == Verdict("d", pytest.approx(score), evidence is not None)
        assert trace["confidence"] == pytest.approx(score)
    else:
        assert verdict is None


@given(
    trees=st.lists(st.one_of(st.none(), nodes()), max_size=6),
    priorities=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    tiers=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    strategy=st.sampled_from(["priority", "confidence"]),
    facts=readings(),
)
def test_compiled_order_equals_sorting_everything(trees, priorities, tiers, strategy, facts):
    decisions = [
        Decision(name=f"d{i}", rules=rules, priority=priorities[i], tier=tiers[i])
        for i, rules in enumerate(trees)
    ]
    found = [(d, interpret(d.rules, facts)) for d in decisions]
    matched = [(d, score, real) for d, (truth, score, real) in found if truth is True]
    tiered = any(d.tier for d, _, _ in matched)

    def order(row: tuple[Decision, float, float | None]) -> tuple[Any, ...]:
        d, score, real = row
        evidence = (real is None, -round(score if real is None else real, 9))
        if tiered:
            return (d.tier or 99, *evidence, -d.priority, d.name)
        if strategy == "confidence":
            return (*evidence, -d.priority, d.name)
        return (-d.priority, *evidence, d.name)

    verdict = Engine(decisions, strategy).decide(facts)

    assert (verdict.decision if verdict else None) == (
        min(matched, key=order)[0].name if matched else None
    )
