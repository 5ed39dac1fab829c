import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.personal import Found, Personal
from orchestrator.matching.personal_spans import merge, plausible


@pytest.mark.parametrize(
    ("model", "proved", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([Found(3, 3, "AGE", 1.0)], [], [], id="an empty span is none"),
        pytest.param(
            [Found(9, 12, "AGE", 0.6)],
            [Found(0, 5, "US_SSN", 0.95)],
            [Found(0, 5, "US_SSN", 0.95), Found(9, 12, "AGE", 0.6)],
            id="apart",
        ),
        pytest.param(
            [Found(0, 9, "PERSON", 0.99)],
            [Found(0, 5, "CREDIT_CARD", 0.95)],
            [Found(0, 5, "CREDIT_CARD", 0.95)],
            id="a proof stays",
        ),
        pytest.param(
            [Found(0, 4, "PHONE_NUMBER", 0.97)],
            [Found(0, 12, "PHONE_NUMBER", 0.9)],
            [Found(0, 12, "PHONE_NUMBER", 0.97)],
            id="same label: exact ends, higher score",
        ),
        pytest.param(
            [Found(0, 12, "DATE_TIME", 0.97)],
            [Found(0, 12, "PHONE_NUMBER", 0.9)],
            [Found(0, 12, "DATE_TIME", 0.97)],
            id="a mere shape gives way to a surer model",
        ),
        pytest.param(
            [Found(0, 12, "DATE_TIME", 0.6)],
            [Found(0, 12, "PHONE_NUMBER", 0.9)],
            [Found(0, 12, "PHONE_NUMBER", 0.9)],
            id="but not to one less sure",
        ),
        pytest.param(
            [Found(0, 4, "GPE", 0.8), Found(2, 9, "STREET_ADDRESS", 0.8)],
            [],
            [Found(2, 9, "STREET_ADDRESS", 0.8)],
            id="of one score the longer",
        ),
    ],
)
def test_merge(model, proved, expected):
    assert merge(model, proved) == expected


SPANS = st.lists(
    st.builds(
        lambda start, size, label, score: Found(start, start + size, label, score),
        st.integers(0, 40),
        st.integers(1, 9),
        st.sampled_from(["PHONE_NUMBER", "US_SSN", "PERSON"]),
        st.sampled_from([0.5, 0.85, 0.9, 0.95, 0.99]),
    ),
    max_size=12,
)


@given(SPANS, SPANS)
def test_merged_spans_are_apart_in_order_and_keep_every_place(model, proved):
    proved = merge([], proved)  # a validator's are apart
    merged = merge(model, proved)

    assert all(a.stop <= b.start for a, b in zip(merged, merged[1:], strict=False))
    for one in [*model, *proved]:
        assert any(m.start < one.stop and one.start < m.stop for m in merged)


def test_a_models_span_that_its_form_refutes_is_dropped():
    text = "4111 1111 1111 1112 for Anna"
    card, name = Found(0, 19, "CREDIT_CARD", 0.9), Found(24, 28, "PERSON", 0.9)

    assert plausible(text, [card, name], Personal()) == [name]
