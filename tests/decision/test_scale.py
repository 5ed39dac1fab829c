import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orchestrator.decision.leaves import Leaves
from orchestrator.decision.scale import Weight, compile_scale, weigh
from orchestrator.decision.tree import Branch, Leaf, Tree, leaves_in
from orchestrator.types import Facts, Reading

WORD, MEANING, TOPIC, SILENT = (Leaf("f", name) for name in ("word", "meaning", "topic", "silent"))
FACTS = Facts({"f": Reading(matches={"word": None, "meaning": 0.6, "topic": 0.9})})


def weight(tree: Tree, facts: Facts) -> Weight:
    leaves = Leaves(leaves_in(tree), {})
    true, unknown = leaves.read(facts)
    evidence = leaves.evidence(facts, true, *leaves.literals(true, unknown))
    return weigh(compile_scale(tree, leaves.bits), evidence)


def NOT(tree):
    return Branch("NOT", (tree,))


@pytest.mark.parametrize(
    ("tree", "score", "evidence"),
    [
        pytest.param(Branch("fallback"), 0.0, None, id="no rules"),
        pytest.param(Branch("AND"), 0.0, None, id="AND of nothing"),
        pytest.param(WORD, 1.0, None, id="leaf without a score"),
        pytest.param(NOT(SILENT), 1.0, None, id="NOT is never measured"),
        pytest.param(Branch("AND", (WORD, NOT(SILENT))), 1.0, None, id="AND of constants"),
        pytest.param(MEANING, 0.6, 0.6, id="leaf with a score"),
        pytest.param(Branch("AND", (MEANING, TOPIC)), 0.75, 0.75, id="AND is the mean"),
        pytest.param(Branch("AND", (WORD, MEANING)), 0.8, 0.8, id="a constant counts as 1.0"),
        pytest.param(Branch("AND", (MEANING, MEANING, WORD)), 2.2 / 3, 2.2 / 3, id="repeated leaf"),
        pytest.param(Branch("OR", (MEANING, TOPIC, SILENT)), 0.9, 0.9, id="OR is the maximum"),
        pytest.param(Branch("OR", (WORD, MEANING)), 1.0, 0.6, id="OR ranks by its real score"),
        pytest.param(Branch("OR", (WORD, SILENT)), 1.0, None, id="OR without a score"),
        pytest.param(Branch("OR", (MEANING, NOT(SILENT))), 1.0, 0.6, id="OR with a NOT"),
        pytest.param(Branch("OR", (MEANING, NOT(TOPIC))), 0.6, 0.6, id="a failed NOT adds nothing"),
        pytest.param(
            Branch("OR", (MEANING, Branch("AND", (TOPIC, SILENT)))), 0.6, 0.6, id="failed branch"
        ),
        pytest.param(
            Branch("AND", (MEANING, Branch("OR", (TOPIC, SILENT)))), 0.75, 0.75, id="nested"
        ),
        pytest.param(
            Branch("OR", (WORD, Branch("AND", (WORD, MEANING)))), 1.0, 0.8, id="AND beneath OR"
        ),
        pytest.param(
            Branch("AND", (TOPIC, Branch("OR", (WORD, MEANING)))), 0.95, 0.95, id="OR beneath AND"
        ),
    ],
)
def test_weight(tree, score, evidence):
    assert weight(tree, FACTS) == (pytest.approx(score), evidence and pytest.approx(evidence))


@pytest.mark.parametrize("constant", [WORD, NOT(SILENT)], ids=["leaf", "NOT"])
def test_a_score_of_one_beats_a_constant(constant):
    tree = Branch("OR", (constant, MEANING))
    facts = Facts({"f": Reading(matches={"word": None, "meaning": 1.0})})

    assert weight(tree, facts) == (1.0, 1.0)


def positive() -> st.SearchStrategy[Tree]:
    """Trees without NOT, whose leaves are all of those above."""
    return st.recursive(
        st.sampled_from([WORD, MEANING, TOPIC, SILENT]),
        lambda children: st.builds(
            Branch, st.sampled_from(["AND", "OR"]), st.lists(children, min_size=1).map(tuple)
        ),
        max_leaves=12,
    )


def rank(found: Weight) -> tuple[bool, float]:
    confidence, evidence = found
    return evidence is not None, confidence if evidence is None else evidence


def holds(tree: Tree, matches: set[str]) -> bool:
    if isinstance(tree, Leaf):
        return tree.name in matches
    decide = any if tree.operator == "OR" else all
    return decide(holds(child, matches) for child in tree.children)


@given(
    tree=positive(),
    scores=st.dictionaries(
        st.sampled_from(["word", "meaning", "topic", "silent"]),
        st.one_of(st.none(), st.sampled_from([0.0, 0.3, 0.6, 1.0])),
    ),
    data=st.data(),
)
def test_one_more_match_never_lowers_a_tree_in_rank(tree, scores, data):
    assume(scores)
    more = data.draw(st.sampled_from(sorted(scores)))
    fewer = {name: score for name, score in scores.items() if name != more}
    assume(holds(tree, set(fewer)))

    less, full = (weight(tree, Facts({"f": Reading(found)})) for found in (fewer, scores))

    assert rank(full) >= rank(less)
