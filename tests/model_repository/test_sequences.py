"""Texts into framed windows, over the published tokenizer."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import processors

LIMITS = {
    "window": "12",
    "overlap": "2",
    "max_windows": "3",
    "max_characters": "200",
    "max_tokens": "64",
    "padding": "0.1",
}


@pytest.fixture
def cutter(signals_code, tokenizer):
    module = signals_code["sequences"]
    return module.Cutter(tokenizer, module.Limits.read(LIMITS))


@pytest.mark.parametrize(
    ("text", "windows", "truncated"),
    [
        pytest.param("", [(0, 0)], False, id="empty"),
        pytest.param("he " * 10, [(0, 10)], False, id="exactly one window"),
        pytest.param("he " * 11, [(0, 10), (8, 11)], False, id="one word more"),
        pytest.param("he " * 40, [(0, 10), (8, 18), (16, 26)], True, id="more than is read"),
        pytest.param(" " * 201, [(0, 0)], True, id="more characters than are read"),
    ],
)
def test_a_text_is_cut(cutter, text, windows, truncated):
    cut = cutter.cut([text])

    assert (cut.windows, cut.truncated.tolist()) == ([windows], [truncated])
    assert cut.counts.tolist() == [len(windows)]
    assert cut.weights.tolist() == [max(1, stop - start) for start, stop in windows]


def test_every_window_is_framed(cutter, tokenizer):
    cut = cutter.cut(["he " * 11, "river"])

    head, tail = tokenizer.encode("").ids
    he, river = (tokenizer.token_to_id(word) for word in ("he", "river"))
    assert cut.sequences == [
        [head, *[he] * 10, tail],
        [head, *[he] * 3, tail],
        [head, river, tail],
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8))
def test_a_mean_is_weighted_by_tokens(cutter, words):
    cut = cutter.cut(["he " * count for count in words])
    rows = np.random.default_rng(1).normal(size=(len(cut.sequences), 3)).astype(np.float32)

    found = cut.mean(rows)

    owner = np.repeat(np.arange(len(words)), cut.counts)
    for text in range(len(words)):
        mine = owner == text
        wanted = np.average(rows[mine], axis=0, weights=cut.weights[mine])
        np.testing.assert_allclose(found[text], wanted, rtol=1e-4, atol=1e-5)


def test_offsets_are_string_indices_where_they_are_asked_for(cutter):
    text = "🦊 東京 café"

    (encoding,) = cutter.cut([text], offsets=True).encodings

    assert [text[start:stop] for start, stop in encoding.offsets] == ["🦊", "東", "京", "café"]


def test_warming_is_of_every_length_within_the_limits(cutter):
    shapes = [(len(rows), len(rows[0])) for rows in cutter.warming()]

    assert shapes == [(1, 4), (8, 4), (1, 8), (8, 8), (1, 12), (5, 12)]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        pytest.param({"window": "wide"}, ValueError, id="no number"),
        pytest.param({"overlap": None}, KeyError, id="missing"),
    ],
)
def test_settings_that_cannot_be_read(signals_code, change, error):
    settings = {key: value for key, value in (LIMITS | change).items() if value is not None}

    with pytest.raises(error):
        signals_code["sequences"].Limits.read(settings)


def test_a_prefix_leads_every_window_and_is_no_part_of_the_text(signals_code, tokenizer):
    module = signals_code["sequences"]
    limits = module.Limits.read(LIMITS | {"prefix": "query : "})
    cut = module.Cutter(tokenizer, limits).cut(["he " * 9, ""])

    head, *lead, tail = tokenizer.encode("query :").ids
    he = tokenizer.token_to_id("he")
    assert len(lead) == 2
    assert cut.sequences == [
        [head, *lead, *[he] * 8, tail],
        [head, *lead, *[he] * 3, tail],
        [head, *lead, tail],
    ]
    assert cut.counts.tolist() == [2, 1]
    assert cut.weights.tolist() == [8, 3, 1]


def test_what_is_unreadable_is_a_share_of_the_text_without_its_prefix(signals_code, tokenizer):
    module = signals_code["sequences"]
    limits = module.Limits.read(LIMITS | {"prefix": "query : "})
    texts = ["ሰላም", "he", ""]

    plain = module.Cutter(tokenizer, module.Limits.read(LIMITS)).cut(texts)
    led = module.Cutter(tokenizer, limits).cut(texts)

    assert plain.unreadable[0].max() == 1.0
    np.testing.assert_array_equal(led.unreadable, plain.unreadable)


@pytest.mark.parametrize(
    ("post", "frame"),
    [
        pytest.param("$A [SEP]", (0, 1), id="a mark at the end alone"),
        pytest.param("[CLS] $A", (1, 0), id="a mark at the start alone"),
    ],
)
def test_a_text_may_be_framed_on_one_side(signals_code, tokenizer, post, frame):
    module = signals_code["sequences"]
    other = type(tokenizer).from_str(tokenizer.to_str())
    marks = [(one, tokenizer.token_to_id(one)) for one in ("[CLS]", "[SEP]")]
    other.post_processor = processors.TemplateProcessing(single=post, special_tokens=marks)
    cutter = module.Cutter(other, module.Limits.read(LIMITS))

    assert (len(cutter.head), len(cutter.tail)) == frame
    assert [len(one) for one in cutter.cut(["", "he " * 12]).sequences] == [1, 12, 4]
    assert max(len(one) for batch in cutter.warming() for one in batch) == 12


@pytest.mark.parametrize(
    ("changes", "post", "message"),
    [
        pytest.param({}, "$A", "without special tokens", id="nothing for an empty text"),
        pytest.param(
            {"prefix": "he " * 8}, "[CLS] $A [SEP]", "no room beside its prefix", id="long prefix"
        ),
    ],
)
def test_what_cannot_be_cut_does_not_load(signals_code, tokenizer, changes, post, message):
    module = signals_code["sequences"]
    other = type(tokenizer).from_str(tokenizer.to_str())
    marks = [(one, tokenizer.token_to_id(one)) for one in ("[CLS]", "[SEP]")]
    other.post_processor = processors.TemplateProcessing(single=post, special_tokens=marks)

    with pytest.raises(ValueError, match=message):
        module.Cutter(other, module.Limits.read(LIMITS | changes))
