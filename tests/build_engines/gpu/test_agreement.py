import numpy as np
import pytest

from build_engines.errors import ParityError
from build_engines.gpu.agreement import Agreement, Task, compare, folded
from build_engines.gpu.samples import Batch

UNIT = np.eye(3, dtype=np.float32)
TASKS = {"mood": Task(False, 2.0), "name": Task(True, 1.0)}


def texts(embeddings=UNIT[:2], mood=((3, 0), (0, 3)), name=None):
    """What a form says of two texts, of 2 and 3 tokens in a bucket of 4."""
    tokens = np.zeros((2, 1, 4, 3), np.float32)
    tokens[..., 0] = 5  # O of every token
    for text, token, logits in name or ():
        tokens[text, 0, token] = logits
    return {
        "EMBEDDING_W": np.asarray(embeddings, np.float32)[:, None],
        "LOGITS_mood": np.asarray(mood, np.float32)[:, None],
        "LOGITS_name": tokens,
    }


def batch():
    inputs = {"INPUT_IDS": np.zeros((2, 1, 4), np.int32), "LENGTHS": np.array([[2], [3]])}
    return Batch(inputs, (2, 3))


def found(wanted, said, times=1):
    return compare(lambda _: wanted, lambda _: said, [batch()] * times, TASKS)


def test_equal_answers_agree():
    agreement = found(texts(), texts())

    agreement.demand("a graph")
    assert agreement.figures() == {
        "rows": 2,
        "least_cosine": 1.0,
        "labels_equal": {"mood": "2 of 2", "name": "5 of 5"},
        "widest_margin_changed": {},
        "probability": {"mood": 0.0, "name": 0.0},
    }


def test_what_stands_after_the_end_of_a_window_is_not_compared():
    found(texts(), texts(name=[(0, 2, (0, 9, 0)), (1, 3, (0, 9, 0))])).demand("a graph")


def test_begin_and_inside_of_a_label_are_one_label():
    rows = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])

    np.testing.assert_allclose(folded(rows), [[0.2, 0.8], [0.6, 0.4]])
    inside, begin = [(0, 1, (0, 4, 5))], [(0, 1, (0, 5, 4))]
    assert found(texts(name=inside), texts(name=begin)).equal["name"] == 5


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(
            texts(mood=((0, 3), (0, 3))), "mood: a label changed that led by 0.635", id="label"
        ),
        pytest.param(
            texts(name=[(1, 2, (0, 9, 0))]), "80.000% of the labels of tokens", id="token"
        ),
        pytest.param(texts(embeddings=UNIT[[0, 2]]), "least cosine 0.000000", id="embedding"),
    ],
)
def test_what_differs_is_told(said, message):
    with pytest.raises(ParityError) as raised:
        found(texts(), said).demand("a graph")

    assert str(raised.value).startswith("a graph: ")
    assert message in str(raised.value)


def test_one_label_of_two_thousand_may_change_where_it_was_a_tie():
    tie, other = ((0.01, 0), (0, 3)), ((0, 0.01), (0, 3))
    agreement = found(texts(), texts(), times=1000)

    wanted, said = (texts(mood=mood) for mood in (tie, other))
    one = compare(lambda _: wanted, lambda _: said, [batch()], TASKS)
    agreement.asked["mood"] += one.asked["mood"]
    agreement.equal["mood"] += one.equal["mood"]
    agreement.margin |= one.margin

    agreement.demand("a graph")
    assert agreement.figures()["labels_equal"]["mood"] == "2001 of 2002"
    assert agreement.margin["mood"] == pytest.approx(0.0025, abs=1e-4)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_an_answer_that_is_no_number_is_refused_at_once(value):
    with pytest.raises(ParityError, match="LOGITS_mood: not a number"):
        found(texts(), texts(mood=((value, 0), (0, 3))))


@pytest.mark.parametrize(
    ("known", "holds"),
    [pytest.param(0.505, True, id="within"), pytest.param(0.52, False, id="beyond")],
)
def test_pictures_are_compared_by_embedding_and_known(known, holds):
    wanted = {"EMBEDDING": UNIT, "KNOWN": np.full((3, 1), 0.5, np.float32)}
    said = wanted | {"KNOWN": np.full((3, 1), known, np.float32)}

    agreement = compare(lambda _: wanted, lambda _: said, [Batch({}, ())], {})

    assert agreement.known == pytest.approx(known - 0.5, abs=1e-6)
    if holds:
        agreement.demand("pictures")
    else:
        with pytest.raises(ParityError, match="KNOWN off by 0.0200"):
            agreement.demand("pictures")


def test_nothing_compared_is_no_agreement_of_labels():
    assert Agreement().figures() == {"rows": 0, "least_cosine": 1.0}
