import numpy as np
import pytest

from orchestrator.errors import InferenceError, InvalidScore
from orchestrator.inference import Classification, Entity
from orchestrator.inference.answers import Answer, decode, legible, outputs, stack
from orchestrator.inference.rows import Row
from orchestrator.inference.tasks import NO_TASKS, Task

TASKS = {
    "domain": Task(("art", "law")),
    "guard": Task(("fine", "danger")),
    "pii": Task(("AGE", "PHONE"), spans=True),
}
ROWS = [
    Row(b"I am 42", frozenset({"domain", "pii"}), embeds=False),
    Row(b"hi", frozenset({"guard"})),
    Row(b"", frozenset(), embeds=False),
]
NAN = float("nan")


def tensors(**changes):
    """Right answers to ROWS, with some changed or (None) left out."""
    values = {
        "EMBEDDING": np.eye(3, 4, dtype=np.float32),
        "WINDOWS": np.array([[1], [2], [1]], np.int32),
        "TRUNCATED": np.array([[False], [True], [False]]),
        "PROBS_domain": np.array([[0.25, 0.75], [NAN, NAN], [NAN, NAN]], np.float32),
        "PROBS_guard": np.array([[NAN, NAN], [1.0, 0.0], [NAN, NAN]], np.float32),
        "SPANS_pii": np.array([[[5, 7, 0]], [[-1] * 3], [[-1] * 3]], np.int32),
        "SPAN_SCORES_pii": np.array([[0.5], [0], [0]], np.float32),
    } | changes
    return {
        name: (array.shape, array.tobytes()) for name, array in values.items() if array is not None
    }


def spans(*row):
    return np.array([[row], [[-1] * 3], [[-1] * 3]], np.int32)


def probabilities(*row):
    return np.array([row, [NAN, NAN], [NAN, NAN]], np.float32)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"EMBEDDING": None}, id="no embedding"),
        pytest.param({"WINDOWS": np.ones((2, 1), np.int32)}, id="windows of two rows"),
        pytest.param({"TRUNCATED": None}, id="not told what is cut"),
        pytest.param({"PROBS_domain": None}, id="a task is missing"),
        pytest.param({"PROBS_domain": np.ones((3, 3), np.float32)}, id="a class too many"),
        pytest.param({"PROBS_domain": np.ones((2, 2), np.float32)}, id="a row is missing"),
        pytest.param({"PROBS_domain": np.ones((3, 2), np.float16)}, id="half of the bytes"),
        pytest.param({"PROBS_domain": probabilities(NAN, NAN)}, id="a row that asked has none"),
        pytest.param({"PROBS_domain": probabilities(0.5, np.inf)}, id="infinite"),
        pytest.param({"PROBS_domain": probabilities(1.5, -0.5)}, id="no probabilities"),
        pytest.param({"SPANS_pii": None}, id="no spans"),
        pytest.param({"SPAN_SCORES_pii": None}, id="no scores"),
        pytest.param({"SPAN_SCORES_pii": np.zeros((3, 2), np.float32)}, id="more scores"),
        pytest.param({"SPANS_pii": np.zeros((3, 1, 2), np.int32)}, id="spans without labels"),
        pytest.param({"SPANS_pii": spans(5, 5, 0)}, id="an empty span"),
        pytest.param({"SPANS_pii": spans(5, 8, 0)}, id="beyond the text"),
        pytest.param({"SPANS_pii": spans(5, 7, 2)}, id="no such label"),
        pytest.param({"SPANS_pii": spans(5, 7, -1)}, id="no label"),
        pytest.param({"SPAN_SCORES_pii": np.full((3, 1), 2, np.float32)}, id="no score"),
        pytest.param(
            {"SPAN_SCORES_pii": np.full((3, 1), NAN, np.float32)}, id="score is no number"
        ),
    ],
)
def test_malformed_answers_are_refused(changes):
    with pytest.raises(InferenceError):
        decode("m", tensors(**changes), ROWS, TASKS)


@pytest.mark.parametrize("share", [NAN, np.inf, -0.5, 1.5])
def test_what_is_no_probability_is_told_apart(share):
    with pytest.raises(InvalidScore, match="m: PROBS_domain holds what is no probability"):
        decode("m", tensors(PROBS_domain=probabilities(0.5, share)), ROWS, TASKS)


def test_each_row_is_told_what_it_asked_and_no_more():
    first, second, third = decode("m", tensors(), ROWS, TASKS)

    assert first == Answer(
        None,
        Classification(
            {"domain": {"art": 0.25, "law": 0.75}}, {"pii": (Entity(5, 7, "AGE", 0.5),)}
        ),
    )
    np.testing.assert_array_equal(second.vector, [0, 1, 0, 0])
    assert second.said == Classification({"guard": {"fine": 1.0, "danger": 0.0}}, {}, 2, True)
    assert third == Answer(None, Classification({}, {}))


def test_where_nothing_is_found_the_tensors_are_empty():
    empty = {"SPANS_pii": np.empty((3, 0, 3), np.int32)}
    empty["SPAN_SCORES_pii"] = np.empty((3, 0), np.float32)
    first, *_ = decode("m", tensors(**empty), ROWS, TASKS)

    assert first.said.entities == {"pii": ()}


def test_rounding_does_not_leave_the_interval():
    changes = {"PROBS_domain": probabilities(1.00001, -0.00001)}
    changes["SPAN_SCORES_pii"] = np.full((3, 1), 1.00001, np.float32)
    first, *_ = decode("m", tensors(**changes), ROWS, TASKS)

    assert first.said.probabilities == {"domain": {"art": 1.0, "law": 0.0}}
    assert first.said.entities["pii"][0].score == 1.0


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        pytest.param([Row(b"")], ["EMBEDDING"], id="embedding"),
        pytest.param([ROWS[0]], ["PROBS_domain", "SPANS_pii", "SPAN_SCORES_pii"], id="tasks"),
        pytest.param([ROWS[2]], [], id="nothing"),
        pytest.param(
            ROWS[:2],
            sorted({"EMBEDDING", "PROBS_domain", "PROBS_guard", "SPANS_pii", "SPAN_SCORES_pii"}),
            id="all that any row asks",
        ),
    ],
)
def test_only_what_is_asked_is_computed(rows, names):
    assert sorted(outputs(rows, TASKS)) == sorted([*names, "WINDOWS", "TRUNCATED", "UNREADABLE"])


def test_a_model_without_tasks_is_asked_for_all_that_it_has():
    assert outputs([Row(b"")], NO_TASKS) == []


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        pytest.param(None, [(0.0, 0.0)] * 3, id="of a model that does not say"),
        pytest.param(
            np.array([[0, 0], [1, 1], [0.25, 0.5]], np.float32),
            [(0.0, 0.0), (1.0, 1.0), (0.25, 0.5)],
            id="of one that does",
        ),
    ],
)
def test_how_much_of_a_text_is_unread(shares, expected):
    found = decode("m", tensors(UNREADABLE=shares), ROWS, TASKS)

    assert [(one.said.unreadable, one.said.unreadable_stretch) for one in found] == expected


@pytest.mark.parametrize(
    "shares",
    [
        pytest.param(np.zeros((3, 1), np.float32), id="one number"),
        pytest.param(np.zeros((2, 2), np.float32), id="of other rows"),
        pytest.param(np.full((3, 2), NAN, np.float32), id="no number"),
        pytest.param(np.full((3, 2), 1.5, np.float32), id="more than all"),
    ],
)
def test_shares_that_are_none_are_refused(shares):
    with pytest.raises(InferenceError, match="UNREADABLE"):
        decode("m", tensors(UNREADABLE=shares), ROWS, TASKS)


def test_a_text_that_was_not_read_has_no_vector():
    texts = [Classification({}, {}, unreadable=share) for share in (0.0, 0.49, 0.5, 1.0)]
    answers = [Answer(np.ones(3, np.float32), said) for said in texts]

    assert np.isnan(legible("m", answers)).all(axis=1).tolist() == [False, False, True, True]
    assert not np.isnan(stack("m", answers)).any()


def test_vectors_of_different_lengths_are_no_answer():
    said = Classification({}, {})
    one, two = (Answer(np.ones(width, np.float32), said) for width in (3, 4))

    assert stack("m", [one, one]).shape == (2, 3)
    with pytest.raises(InferenceError, match="m: its embeddings differ in length"):
        stack("m", [one, two])
