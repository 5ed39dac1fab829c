import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import RequestError
from orchestrator.matching.pieces import MOST_READ
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.classify_bodies import MOST_TOTAL, parsed

KINDS = [
    bodies.Intent,
    bodies.Pii,
    bodies.Security,
    bodies.OneText,
    bodies.Combined,
    bodies.Batch,
    bodies.Embed,
    bodies.Similarity,
    bodies.SimilarityBatch,
]
CANARY = "canary-c0ffee"
FIELDS = sorted({field for kind in KINDS for field in kind.model_fields})
OPTIONS = sorted(bodies.MixedOptions.model_fields)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.just(CANARY) | st.just("")
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*OPTIONS, "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6))
def test_any_body_is_taken_or_refused_by_field_and_never_quoted(kind, body):
    try:
        taken = parsed(kind, body)
    except RequestError as error:
        assert error.param and error.param.split(".")[0].split("[")[0] in kind.model_fields
        assert str(error).startswith(error.param)
        assert CANARY not in str(error)
    else:
        assert isinstance(taken, kind)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({}, "text: Field required", id="absent"),
        pytest.param({"text": None}, "text: Field required", id="null is absent"),
        pytest.param({"text": ""}, "text: a text cannot be empty", id="empty"),
        pytest.param({"text": "a", "options": 1}, "options: expected an object", id="options"),
        pytest.param(
            {"text": "\N{SNOWMAN}" * (MOST_READ // 3 + 1)},
            f"text: a text has at most {MOST_READ} bytes, this one has {MOST_READ // 3 * 3 + 3}",
            id="bytes, not characters, count",
        ),
    ],
)
def test_what_is_said_of_a_wrong_text(body, message):
    with pytest.raises(RequestError) as caught:
        parsed(bodies.Pii, body)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        pytest.param([MOST_READ, MOST_TOTAL - MOST_READ, 1], False, id="one byte too many"),
        pytest.param([MOST_READ, MOST_TOTAL - MOST_READ], True, id="just enough"),
        pytest.param([MOST_READ + 1], False, id="one is too long"),
        pytest.param([1] * 101, False, id="one text too many"),
        pytest.param([1] * 100, True, id="100 texts"),
    ],
)
def test_limits_of_several_texts(sizes, taken):
    body = {"texts": ["x" * size for size in sizes]}
    if taken:
        assert len(parsed(bodies.Batch, body).texts) == len(sizes)
    else:
        with pytest.raises(RequestError, match="^texts"):
            parsed(bodies.Batch, body)


def test_null_is_absent_at_every_level():
    options = {"confidence_threshold": None, "entity_types": None, "mask_entities": None}

    given_nulls = parsed(bodies.Pii, {"text": "a", "options": options})

    assert given_nulls == parsed(bodies.Pii, {"text": "a", "options": None})
    assert given_nulls.options == bodies.PiiOptions()
