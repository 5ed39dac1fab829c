import pytest

from orchestrator.decision.leaves import Leaves
from orchestrator.decision.scale import compile_scale, confidence
from orchestrator.decision.tree import Branch, Leaf, leaves_in
from orchestrator.types import Facts, Reading

WORD, MEANING, TOPIC, SILENT = (Leaf("f", name) for name in ("word", "meaning", "topic", "silent"))
FACTS = Facts({"f": Reading(matches={"word": None, "meaning": 0.6, "topic": 0.9})})


def NOT(tree):
    return Branch("NOT", (tree,))


@pytest.mark.parametrize(
    ("tree", "score", "measured"),
    [
        pytest.param(Branch("fallback"), 0.0, False, id="no rules"),
        pytest.param(Branch("AND"), 0.0, False, id="AND of nothing"),
        pytest.param(WORD, 1.0, False, id="leaf without a score"),
        pytest.param(NOT(SILENT), 1.0, False, id="NOT is never measured"),
        pytest.param(Branch("AND", (WORD, NOT(SILENT))), 1.0, False, id="AND of constants"),
        pytest.param(MEANING, 0.6, True, id="leaf with a score"),
        pytest.param(Branch("AND", (MEANING, TOPIC)), 0.75, True, id="AND is the mean"),
        pytest.param(Branch("AND", (WORD, MEANING)), 0.8, True, id="a constant counts as 1.0"),
        pytest.param(Branch("AND", (MEANING, MEANING, WORD)), 2.2 / 3, True, id="repeated leaf"),
        pytest.param(Branch("OR", (MEANING, TOPIC, SILENT)), 0.9, True, id="OR is the maximum"),
        pytest.param(Branch("OR", (WORD, MEANING)), 1.0, False, id="OR takes the constant"),
        pytest.param(Branch("OR", (MEANING, NOT(SILENT))), 1.0, False, id="OR with a NOT"),
        pytest.param(
            Branch("OR", (MEANING, NOT(TOPIC))), 0.6, True, id="a failed NOT adds nothing"
        ),
        pytest.param(
            Branch("OR", (MEANING, Branch("AND", (TOPIC, SILENT)))), 0.6, True, id="failed branch"
        ),
        pytest.param(
            Branch("AND", (MEANING, Branch("OR", (TOPIC, SILENT)))), 0.75, True, id="nested"
        ),
    ],
)
def test_confidence(tree, score, measured):
    leaves = Leaves(leaves_in(tree), {})
    true, unknown = leaves.read(FACTS)
    evidence = leaves.evidence(FACTS, true, *leaves.literals(true, unknown))

    assert confidence(compile_scale(tree, leaves.bits), evidence) == (
        pytest.approx(score),
        measured,
    )


@pytest.mark.parametrize("constant", [WORD, NOT(SILENT)], ids=["leaf", "NOT"])
def test_a_score_of_one_beats_a_constant(constant):
    tree = Branch("OR", (constant, MEANING))
    leaves = Leaves(leaves_in(tree), {})
    facts = Facts({"f": Reading(matches={"word": None, "meaning": 1.0})})
    true, unknown = leaves.read(facts)
    evidence = leaves.evidence(facts, true, *leaves.literals(true, unknown))

    assert confidence(compile_scale(tree, leaves.bits), evidence) == (1.0, True)
