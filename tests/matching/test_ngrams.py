from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.ngrams import Entry, NGrams, similarity


@pytest.mark.parametrize(
    ("entry", "text", "expected"),
    [
        pytest.param(Entry("urgent"), "weather forecast", False, id="other word"),
        pytest.param(Entry("urgent", threshold=0.9), "urgently", False, id="threshold"),
        pytest.param(Entry("URGENT", case_sensitive=True), "urgent", False, id="case"),
        pytest.param(Entry("urgent"), "", False, id="nothing"),
        pytest.param(Entry("urgent"), "URGENT", True, id="case does not matter"),
        pytest.param(Entry("urgent"), "this is urgnt!", True, id="letter missing"),
        pytest.param(Entry("urgent"), "urgently", True, id="longer word"),
        pytest.param(Entry("credit card"), "my credit-crad", True, id="phrase against the text"),
        pytest.param(Entry("हिन्दी"), "हिन्दी में", True, id="hindi"),
    ],
)
def test_ngrams(entry, text, expected):
    assert bool(NGrams([entry]).found(text)) is expected


@pytest.mark.parametrize(
    ("same", "union", "expected"),
    [(0, 10, 0.0), (10, 10, 1.0), (5, 10, 0.75), (2, 10, 0.36)],
)
def test_similarity(same, union, expected):
    assert similarity(same, union) == pytest.approx(expected)


def test_entries_of_all_kinds_at_once():
    ngrams = NGrams([Entry("urgent"), Entry("asap", arity=2), Entry("Now", case_sensitive=True)])

    assert ngrams.found("urgnt, asapp, Now") == {0, 1, 2}


def test_a_word_of_a_megabyte_is_not_taken_apart():
    assert NGrams([Entry("urgent")]).found("urgent" * 200_000) == set()


@given(st.text("abc", min_size=1, max_size=8), st.text("abc", min_size=1, max_size=12))
@settings(deadline=None)
def test_as_the_formula_has_it(keyword, word):
    def grams(text):
        padded = f"  {text}  "
        return Counter(padded[i : i + 3] for i in range(len(padded) - 2))

    one, other = grams(keyword), grams(word)
    same, union = (one & other).total(), (one | other).total()
    expected = 1 - ((union - same) / union) ** 2 >= 0.4

    assert bool(NGrams([Entry(keyword, 3, 0.4)]).found(word)) is expected


@given(st.text(max_size=8), st.integers(2, 5), st.text(max_size=40))
@settings(deadline=None)
def test_any_unicode_is_no_crash(keyword, arity, text):
    assert NGrams([Entry(keyword, arity)]).found(text) <= {0}
