import pytest
from pydantic import ValidationError

from orchestrator.config.decisions import Decision, Node, Predicate


def said(model, value):
    """The sentences of what is wrong with `value`."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return [str(e.get("ctx", {}).get("error", e["type"])) for e in error.errors()]
    return []


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        pytest.param({}, "needs at least one of gt, gte, lt, lte", id="none"),
        pytest.param({"gt": 1, "gte": 1}, "gt and gte exclude each other", id="two below"),
        pytest.param({"lt": 1, "lte": 1}, "lt and lte exclude each other", id="two above"),
        pytest.param({"gt": 2, "lt": 1}, "no number lies between these bounds", id="empty"),
        pytest.param({"gte": 1, "lt": 1}, "no number lies between these bounds", id="half open"),
        pytest.param({"gt": float("nan")}, "finite_number", id="not a number"),
        pytest.param({"lte": float("inf")}, "finite_number", id="infinite"),
    ],
)
def test_bad_predicates(bounds, message):
    assert said(Predicate, bounds) == [message]


@pytest.mark.parametrize(
    "bounds",
    [{"gt": 0}, {"gte": 1, "lte": 1}, {"gt": 1, "lte": 2}, {"lt": -1.5}],
    ids=["one", "a point", "both", "negative"],
)
def test_good_predicates(bounds):
    assert said(Predicate, bounds) == []


LEAF = {"type": "t", "name": "n"}


@pytest.mark.parametrize(
    ("node", "message"),
    [
        pytest.param(
            {**LEAF, "operator": "AND"},
            "a condition has either type and name, or operator and conditions, not both",
            id="leaf with operator",
        ),
        pytest.param(
            {**LEAF, "conditions": [LEAF]},
            "a condition has either type and name, or operator and conditions, not both",
            id="leaf with conditions",
        ),
        pytest.param({"type": "t"}, "a condition of type 't' needs a name", id="no name"),
        pytest.param(
            {"conditions": [LEAF]},
            "a condition needs type and name, or operator and conditions",
            id="no operator",
        ),
        pytest.param(
            {"operator": "OR", "name": "n"},
            "name is for conditions with a type only",
            id="composite with name",
        ),
        pytest.param(
            {"operator": "OR", "predicate": {"gt": 1}},
            "predicate is for conditions with a type only",
            id="composite with predicate",
        ),
        pytest.param(
            {"operator": "NOT"}, "NOT needs exactly one condition, found 0", id="NOT of none"
        ),
        pytest.param(
            {"operator": "NOT", "conditions": [LEAF, LEAF]},
            "NOT needs exactly one condition, found 2",
            id="NOT of two",
        ),
        pytest.param(
            {**LEAF, "label": "L"},
            "a condition with a label needs a predicate over the label's score",
            id="label without predicate",
        ),
        pytest.param(
            {**LEAF, "on_error": "match"},
            "on_error is for conditions with a label only",
            id="on_error without label",
        ),
        pytest.param({**LEAF, "operator": "XOR"}, "literal_error", id="unknown operator"),
    ],
)
def test_bad_nodes(node, message):
    assert said(Node, node) == [message]


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(LEAF, id="leaf"),
        pytest.param({**LEAF, "predicate": {"gte": 0.5}}, id="leaf with predicate"),
        pytest.param(
            {**LEAF, "label": "L", "predicate": {"gte": 0.5}, "on_error": "no_match"},
            id="leaf with label",
        ),
        pytest.param({"operator": "AND", "conditions": []}, id="AND of nothing: always"),
        pytest.param({"operator": "AND"}, id="AND without conditions"),
        pytest.param({"operator": "NOT", "conditions": [{"operator": "OR"}]}, id="nested"),
    ],
)
def test_good_nodes(node):
    assert said(Node, node) == []


def test_no_rules_and_empty_rules_are_the_same():
    assert Decision(name="a").rules is None
    assert Decision.model_validate({"name": "a", "rules": {}}).rules is None
    assert Decision.model_validate({"name": "a", "rules": None}).rules is None


def iteration(**fields):
    return {"candidateIterations": [{"variable": "m", "source": "models", **fields}]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"algorithm": {}}, "an algorithm needs a lower-case type", id="no type"),
        pytest.param(
            {"algorithm": {"type": "Static"}}, "an algorithm needs a lower-case type", id="case"
        ),
        pytest.param(
            {"algorithm": {"type": "one", "other": {}}},
            "the block 'other' does not belong to the type; only 'one' may stand here",
            id="block of another algorithm",
        ),
        pytest.param(
            {"annotations": {str(n): "x" for n in range(33)}},
            "at most 32 annotations and 4096 bytes as JSON, found 33 and 353",
            id="33 annotations",
        ),
        pytest.param(
            {"annotations": {"a": "é" * 2045}},
            "at most 32 annotations and 4096 bytes as JSON, found 1 and 4099",
            id="4 KiB of annotations",
        ),
        pytest.param(
            {"emits": [{"kind": "retention"}, {"kind": "retention"}]},
            "each kind may be emitted once",
            id="emits twice",
        ),
        pytest.param(
            {"emits": [{"kind": "retention", "retention": {"drop": True, "ttl_turns": 1}}]},
            "drop: true and ttl_turns exclude each other",
            id="drop and keep",
        ),
        pytest.param(
            iteration(outputs=[{"type": "model", "value": "x"}]),
            "outputs may only name the variable 'm'",
            id="output of another variable",
        ),
        pytest.param(iteration(source="all"), "literal_error", id="unknown source"),
        pytest.param(iteration(), "the source 'models' needs at least one model", id="of nothing"),
        pytest.param(
            iteration(source="decision.candidates"),
            "a loop over decision.candidates needs modelRefs",
            id="loop over no candidates",
        ),
        pytest.param(
            {"output_contract_spec": {"type": "prose"}}, "literal_error", id="unknown contract"
        ),
        pytest.param({"adaptations": {"mod": "apply"}}, "extra_forbidden", id="adaptations"),
    ],
)
def test_bad_decisions(fields, message):
    assert said(Decision, {"name": "a", **fields}) == [message]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"algorithm": {"type": "one"}}, id="algorithm without block"),
        pytest.param(
            {"algorithm": {"type": "one", "one": {"k": 1}, "on_error": "skip"}}, id="algorithm"
        ),
        pytest.param({"annotations": {str(n): "x" for n in range(32)}}, id="32 annotations"),
        pytest.param(
            {"emits": [{"kind": "retention", "retention": {"drop": True, "ttl_turns": 0}}]},
            id="drop with an explicit zero",
        ),
        pytest.param(
            iteration(models=[{"model": "a"}], outputs=[{"type": "model", "value": "m"}]),
            id="iteration",
        ),
    ],
)
def test_good_decisions(fields):
    assert said(Decision, {"name": "a", **fields}) == []


@pytest.mark.parametrize(
    ("loops", "names"),
    [
        pytest.param([], ["a", "b"], id="no loop"),
        pytest.param([{"source": "decision.candidates"}], ["a", "b"], id="over the candidates"),
        pytest.param([{"models": [{"model": "c"}], "outputs": []}], ["a", "b"], id="no output"),
        pytest.param([{"models": [{"model": "c"}]}], ["a", "b", "c"], id="one more"),
        pytest.param(
            [{"models": [{"model": "b"}, {"model": "c"}]}, {"models": [{"model": "c"}]}],
            ["a", "b", "c"],
            id="each once",
        ),
        pytest.param(
            [{"models": [{"model": "a", "lora_name": "x"}]}], ["a", "b", "x"], id="an adapter"
        ),
    ],
)
def test_candidates(loops, names):
    output = [{"type": "model", "value": "m"}]
    rows = [{"variable": "m", "source": "models", "outputs": output, **loop} for loop in loops]
    refs = [{"model": "a", "use_reasoning": True}, {"model": "b"}]
    decision = Decision.model_validate(
        {"name": "d", "modelRefs": refs, "candidateIterations": rows}
    )

    assert [ref.lora_name or ref.model for ref in decision.candidates] == names
    assert decision.candidates[0].use_reasoning
