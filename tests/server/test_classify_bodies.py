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
        assert error.param
        known = error.param.split(".")[0].split("[")[0] in kind.model_fields
        assert known or str(error).startswith(f"{error.param}: unknown key")
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


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        pytest.param(
            bodies.Pii,
            {"text": "a", "options": {"treshold": 0.3}},
            "options.treshold: unknown key 'treshold' (known: confidence_threshold, entity_types, "
            "mask_entities, return_positions, reveal_entity_text)",
            id="far from all",
        ),
        pytest.param(
            bodies.Combined,
            {"text": "a", "options": {"mask_entites": True}},
            "options.mask_entites: unknown key 'mask_entites' (did you mean 'mask_entities'?)",
            id="near one",
        ),
        pytest.param(
            bodies.Intent,
            {"options": {"explanation": True}},
            "options.explanation: unknown key 'explanation' (known: confidence_threshold, "
            "evaluate_all_signals, return_probabilities, trace)",
            id="near one without effect",
        ),
        pytest.param(
            bodies.OneText,
            {"text": "a", "options": {"trace": True}},
            "options.trace: unknown key 'trace' (none has an effect here)",
            id="no options",
        ),
        pytest.param(
            bodies.Batch,
            {"texts": [], "task": "pii"},
            "task: unknown key 'task' (did you mean 'task_type'?)",
            id="beside a wrong field",
        ),
        pytest.param(
            bodies.Embed,
            {"texts": ["a"], "dimensions": 384},
            "dimensions: unknown key 'dimensions' (did you mean 'dimension'?)",
            id="embeddings",
        ),
        pytest.param(
            bodies.SimilarityBatch,
            {"query": "a", "candidates": ["b"], "topk": 1},
            "topk: unknown key 'topk' (did you mean 'top_k'?)",
            id="similarity",
        ),
    ],
)
def test_an_unknown_key_is_named_with_what_would_be_right(kind, body, message):
    with pytest.raises(RequestError) as caught:
        parsed(kind, body)

    assert str(caught.value) == message


def test_of_a_long_unknown_key_the_beginning_is_shown():
    with pytest.raises(RequestError) as caught:
        parsed(bodies.OneText, {"text": "a", "x" * 100_000: 1})

    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param(
            bodies.Security,
            {"text": "a", "options": {"detection_types": ["x"], "sensitivity": 3}},
            id="security",
        ),
        pytest.param(bodies.Embed, {"texts": ["a"], "sequence_length": 512}, id="embeddings"),
        pytest.param(bodies.Intent, {"messages": [], "anything": 1}, id="a chat body"),
        pytest.param(bodies.Pii, {"text": "a", "option": None}, id="null is absent"),
    ],
)
def test_what_the_reference_takes_is_taken(kind, body):
    assert isinstance(parsed(kind, body), kind)


def test_null_is_absent_at_every_level():
    options = {"confidence_threshold": None, "entity_types": None, "mask_entities": None}

    given_nulls = parsed(bodies.Pii, {"text": "a", "options": options})

    assert given_nulls == parsed(bodies.Pii, {"text": "a", "options": None})
    assert given_nulls.options == bodies.PiiOptions()
