import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestrator.config.modules import PrototypeScoring as Scoring
from orchestrator.matching.prototypes import Stack, build, shortened


def unit(*rows):
    array = np.array(rows, dtype=np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def angles(*degrees):
    radians = np.radians(np.array(degrees, dtype=np.float64))
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


CLUSTERED = dict(
    texts=["b left", "b middle", "b right", "a low", "a high"],
    vectors=angles(0, 10, 20, 90, 100),
)


@pytest.mark.parametrize(
    "block",
    [
        pytest.param({"cluster_similarity_threshold": 1.1}, id="threshold above 1"),
        pytest.param({"best_weight": -0.1}, id="negative weight"),
        pytest.param({"top_m": -1}, id="negative top_m"),
        pytest.param({"max_prototypes": 1.5}, id="half a prototype"),
    ],
)
def test_scoring_refuses(block):
    with pytest.raises(ValidationError):
        Scoring.model_validate(block)


def test_zero_means_the_default():
    zeros = dict.fromkeys(
        ["cluster_similarity_threshold", "max_prototypes", "best_weight", "top_m"], 0
    )

    assert Scoring.model_validate(zeros) == Scoring()


def test_a_bank_needs_an_example():
    with pytest.raises(ValueError, match="at least one example"):
        build([], np.empty((0, 2), np.float32), Scoring())


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        pytest.param(
            Scoring(cluster_similarity_threshold=0.999),
            [("a high", 1), ("a low", 1), ("b left", 1), ("b middle", 1), ("b right", 1)],
            id="nothing is near enough: all alone, by text",
        ),
        pytest.param(
            Scoring(cluster_similarity_threshold=0.98),
            [("b middle", 3), ("a high", 2)],
            id="the middle one has the biggest neighbourhood; of two equals the first by text",
        ),
        pytest.param(
            Scoring(cluster_similarity_threshold=0.98, max_prototypes=1),
            [("b middle", 3)],
            id="only the biggest cluster is kept",
        ),
        pytest.param(
            Scoring(enabled=False, max_prototypes=1),
            [("a high", 1), ("a low", 1), ("b left", 1), ("b middle", 1), ("b right", 1)],
            id="switched off: every example, without a limit",
        ),
    ],
)
def test_prototypes(scoring, expected):
    bank = build(**CLUSTERED, scoring=scoring)

    assert [(p.text, p.size) for p in bank.prototypes] == expected


def test_an_example_twice_counts_once():
    bank = build(["x", "x", "y"], angles(0, 45, 90), Scoring())

    assert [(p.text, p.size) for p in bank.prototypes] == [("x", 1), ("y", 1)]
    assert bank.prototypes[0].vector.tolist() == [1.0, 0.0]  # the first of the two


@pytest.mark.parametrize(
    ("scoring", "average", "expected"),
    [
        pytest.param(Scoring(), False, (0.95, 1.0, 0.8, 3), id="three quarters the best one"),
        pytest.param(Scoring(best_weight=1), False, (1.0, 1.0, 0.8, 3), id="the best one alone"),
        pytest.param(Scoring(top_m=1), False, (1.0, 1.0, 1.0, 3), id="no support but the best"),
        pytest.param(Scoring(top_m=9), False, (0.883333, 1.0, 0.533333, 3), id="fewer than top_m"),
        pytest.param(Scoring(), True, (0.533333, 1.0, 0.533333, 3), id="mean over all"),
    ],
)
def test_score(scoring, average, expected):
    bank = build(["a", "b", "c"], unit([1, 0, 0], [3, 4, 0], [0, 1, 0]), scoring, average=average)

    [found] = Stack([bank]).score(unit([1, 0, 0])[0])

    # cosines 1, 0.6, 0
    assert (found.score, found.best, found.support, found.prototypes) == pytest.approx(expected)


def test_equal_banks_score_equally_wherever_they_stand_in_the_stack():
    generator = np.random.default_rng(7)
    vectors = unit(*generator.normal(size=(5, 384)))
    bank = build(list("abcde"), vectors, Scoring())
    other = build(["x"], unit(generator.normal(size=384)), Scoring())

    found = Stack([bank, other, bank, other, bank]).score(vectors[2])

    assert found[0] == found[2] == found[4]
    assert found[1] == found[3]


# The rules of spec 2.2 once more, with loops: what the matrices must agree with.


def slow_bank(texts, vectors, scoring):
    def cosine(a, b):
        value = sum(float(x) * float(y) for x, y in zip(a, b, strict=True))
        return min(1.0, max(-1.0, round(value, 6)))

    examples = {}
    for text, vector in zip(texts, vectors, strict=True):
        examples.setdefault(text, vector)
    if not scoring.enabled:
        return [(text, examples[text]) for text in examples], cosine

    def near(a, b):
        return a == b or cosine(examples[a], examples[b]) >= scoring.cluster_similarity_threshold

    def cohesion(text, members):
        return round(
            sum(1.0 if o == text else cosine(examples[text], examples[o]) for o in members)
            / len(members),
            6,
        )

    left, clusters = set(examples), []
    while left:
        seed = min(left, key=lambda a: (-sum(near(a, b) for b in left), a))
        members = {b for b in left if near(seed, b)}
        medoid = min(members, key=lambda a: (-cohesion(a, members), a))
        clusters.append((-len(members), -cohesion(medoid, members), medoid))
        left -= members
    kept = [text for _, _, text in sorted(clusters)[: scoring.max_prototypes]]
    return [(text, examples[text]) for text in kept], cosine


def slow_score(prototypes, cosine, query, weight, top):
    cosines = sorted((cosine(query, vector) for _, vector in prototypes), reverse=True)
    support = sum(cosines[:top]) / len(cosines[:top])
    return (
        weight * cosines[0] + (1 - weight) * support,
        cosines[0],
        support,
        len(prototypes),
    )


grid = st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any)  # few angles: many ties
example_lists = st.lists(st.tuples(st.sampled_from("abcdefghij"), grid), min_size=1, max_size=12)
scorings = st.builds(
    Scoring,
    enabled=st.booleans(),
    cluster_similarity_threshold=st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0]),
    max_prototypes=st.integers(1, 5),
    best_weight=st.sampled_from([0.1, 0.75, 1.0]),
    top_m=st.integers(1, 4),
)


@given(
    rules=st.lists(st.tuples(example_lists, st.booleans()), min_size=1, max_size=4),
    query=grid,
    scoring=scorings,
)
def test_the_stack_agrees_with_a_plain_loop(rules, query, scoring):
    [asked] = unit(query)
    banks, expected = [], []
    for examples, average in rules:
        texts = [text for text, _ in examples]
        vectors = unit(*(vector for _, vector in examples))
        banks.append(build(texts, vectors, scoring, average=average))
        prototypes, cosine = slow_bank(texts, vectors, scoring)
        weight, top = (0.0, len(prototypes)) if average else (scoring.best_weight, scoring.top_m)
        expected.append(slow_score(prototypes, cosine, asked, weight, top))
        assert {p.text for p in banks[-1].prototypes} == {text for text, _ in prototypes}

    found = Stack(banks).score(asked)

    for one, wanted in zip(found, expected, strict=True):
        assert (one.score, one.best, one.support) == pytest.approx(wanted[:3], abs=2e-6)
        assert one.prototypes == wanted[3]


@pytest.mark.parametrize(
    ("dimension", "expected"),
    [
        pytest.param(0, [[0.48, 0.64, 0.6], [0.0, 0.0, 1.0]], id="0: all"),
        pytest.param(3, [[0.48, 0.64, 0.6], [0.0, 0.0, 1.0]], id="as many as there are"),
        pytest.param(768, [[0.48, 0.64, 0.6], [0.0, 0.0, 1.0]], id="more than there are"),
        pytest.param(2, [[0.6, 0.8], [0.0, 0.0]], id="fewer, and nothing left of one"),
    ],
)
def test_shortened_vectors_have_the_length_1_again(dimension, expected):
    vectors = np.array([[0.48, 0.64, 0.6], [0.0, 0.0, 1.0]], np.float32)

    assert np.allclose(shortened(vectors, dimension), expected)
    assert np.allclose(shortened(vectors[0], dimension), expected[0])
