import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.quality.classes import Score
from orchestrator.quality.spans import by_label, span_f1, span_score

SPANS = st.frozensets(
    st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from(["AGE", "PERSON"])), max_size=5
).map(tuple)
TEXTS = st.lists(st.tuples(SPANS, SPANS))

CASES = [
    pytest.param([[]], [[]], (0, 0, 0), id="nothing of nothing"),
    pytest.param([[]], [[(0, 4, "A")]], (0, 0, 0), id="nothing found"),
    pytest.param([[(0, 3, "A")]], [[(0, 4, "A")]], (0, 0, 0), id="too short"),
    pytest.param([[(0, 4, "B")]], [[(0, 4, "A")]], (0, 0, 0), id="another label"),
    pytest.param([[(0, 4, "A")], []], [[], [(0, 4, "A")]], (0, 0, 0), id="of another text"),
    pytest.param([[(0, 4, "A")] * 2], [[(0, 4, "A")]], (0.5, 1, 2 / 3), id="twice"),
    pytest.param([[(0, 4, "A"), (5, 6, "B")]], [[(0, 4, "A")]], (0.5, 1, 2 / 3), id="one too many"),
    pytest.param([[(0, 4, "A")]], [[(0, 4, "A")]], (1, 1, 1), id="the same"),
]


@pytest.mark.parametrize(("found", "wanted", "figures"), CASES)
def test_span_f1_by_hand(found, wanted, figures):
    assert span_f1(found, wanted) == pytest.approx(figures)


def test_each_label_by_itself():
    found = [[(0, 4, "A"), (5, 6, "B")], [(0, 2, "A")]]
    wanted = [[(0, 4, "A")], [(0, 3, "A"), (4, 6, "C")]]

    assert by_label(found, wanted) == {
        "A": Score(0.5, 0.5, 0.5, 2),
        "B": Score(0.0, 0.0, 0.0, 0),
        "C": Score(0.0, 0.0, 0.0, 1),
    }


@given(TEXTS)
def test_found_and_wanted_exchanged_exchange_precision_and_recall(texts):
    found, wanted = [f for f, _ in texts], [w for _, w in texts]

    precision, recall, f1 = span_f1(found, wanted)

    assert span_f1(wanted, found) == pytest.approx((recall, precision, f1))
    assert 0 <= f1 <= 1
    assert min(precision, recall) - 1e-9 <= f1 <= max(precision, recall) + 1e-9


@given(TEXTS)
def test_the_labels_add_up(texts):
    found, wanted = [f for f, _ in texts], [w for _, w in texts]

    parts = by_label(found, wanted)

    whole = span_score(found, wanted)
    assert sum(one.support for one in parts.values()) == whole.support
    hits = sum(one.recall * one.support for one in parts.values())
    assert hits == pytest.approx(whole.recall * whole.support)
