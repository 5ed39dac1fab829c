import pytest

from orchestrator.config.decisions import Node
from orchestrator.decision.tree import (
    ALWAYS,
    NEVER,
    Branch,
    Gate,
    Leaf,
    compile_gate,
    holds,
    kleene,
    leaves_in,
    parse,
)

A, B, C = (Leaf("keyword", name) for name in "abc")
BITS = {A: 0, B: 1, C: 2}
M, N, U = "match", "no_match", "unknown"


@pytest.mark.parametrize(
    ("operator", "states", "expected"),
    [
        pytest.param("NOT", [U], U, id="NOT unknown is unknown, not a match"),
        pytest.param("NOT", [M], N, id="NOT true is false"),
        pytest.param("NOT", [N], M, id="NOT false is true"),
        pytest.param("NOT", [], N, id="NOT of nothing never matches"),
        pytest.param("NOT", [N, N], N, id="NOT of two never matches"),
        pytest.param("AND", [M, U], U, id="true AND unknown"),
        pytest.param("AND", [U, N], N, id="unknown AND false"),
        pytest.param("AND", [N, U], N, id="false AND unknown"),
        pytest.param("AND", [U, U], U, id="unknown AND unknown"),
        pytest.param("AND", [M, M], M, id="true AND true"),
        pytest.param("AND", [], M, id="AND of nothing matches"),
        pytest.param("OR", [N, U], U, id="false OR unknown"),
        pytest.param("OR", [U, M], M, id="unknown OR true"),
        pytest.param("OR", [M, U], M, id="true OR unknown"),
        pytest.param("OR", [U, U], U, id="unknown OR unknown"),
        pytest.param("OR", [N, N], N, id="false OR false"),
        pytest.param("OR", [], N, id="OR of nothing does not match"),
        pytest.param("fallback", [], M, id="no rules match"),
    ],
)
def test_kleene(operator, states, expected):
    assert kleene(operator, states) == expected


def test_parse_keeps_the_shape():
    node = Node.model_validate(
        {
            "operator": "AND",
            "conditions": [
                {"type": "keyword", "name": "a"},
                {"operator": "NOT", "conditions": [{"type": "keyword", "name": "b"}]},
            ],
        }
    )

    tree = parse(node)

    assert tree == Branch("AND", (A, Branch("NOT", (B,))))
    assert list(leaves_in(tree)) == [A, B]


def test_parse_without_rules_is_a_fallback():
    assert parse(None) == Branch("fallback")


@pytest.mark.parametrize(
    ("tree", "gate"),
    [
        pytest.param(A, Gate(True, 0b000001, ()), id="leaf"),
        pytest.param(Branch("NOT", (A,)), Gate(True, 0b001000, ()), id="negated leaf"),
        pytest.param(Branch("AND", (A, Branch("AND", (B, C)))), Gate(True, 0b111, ()), id="merged"),
        pytest.param(
            Branch("NOT", (Branch("AND", (A, Branch("NOT", (B,)))),)),
            Gate(False, 0b001010, ()),
            id="De Morgan",
        ),
        pytest.param(
            Branch("OR", (A, Branch("AND", (B, C)))),
            Gate(False, 0b001, (Gate(True, 0b110, ()),)),
            id="alternation stays",
        ),
        pytest.param(Branch("NOT", (A, B)), NEVER, id="malformed NOT"),
        pytest.param(Branch("NOT", (Branch("NOT", ()),)), ALWAYS, id="NOT of a malformed NOT"),
    ],
)
def test_compile_gate(tree, gate):
    assert compile_gate(tree, BITS) == gate


@pytest.mark.parametrize(
    ("gate", "held", "expected"),
    [
        pytest.param(Gate(True, 0b11, ()), 0b01, False, id="one literal of two is not every"),
        pytest.param(Gate(False, 0b11, ()), 0b00, False, id="none is not any"),
        pytest.param(NEVER, 0b11, False, id="never"),
        pytest.param(Gate(True, 0b01, (Gate(False, 0b10, ()),)), 0b01, False, id="inner fails"),
        pytest.param(Gate(True, 0b11, ()), 0b11, True, id="every"),
        pytest.param(Gate(False, 0b11, ()), 0b10, True, id="any"),
        pytest.param(Gate(False, 0b01, (Gate(True, 0b10, ()),)), 0b10, True, id="inner holds"),
        pytest.param(ALWAYS, 0b00, True, id="always"),
    ],
)
def test_holds(gate, held, expected):
    assert holds(gate, held, 0b11 ^ held) is expected
