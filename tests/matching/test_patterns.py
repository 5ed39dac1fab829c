import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.patterns import (
    MOST_MATCHES,
    MOST_REREAD,
    Pattern,
    Patterns,
    dialect,
    encode,
    is_plain,
)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("(", id="open group"),
        pytest.param("(?<=a)b", id="look-behind is not RE2"),
        pytest.param(r"(a)\1", id="back-reference is not RE2"),
        pytest.param("a{1001}", id="too many repetitions"),
        pytest.param("(((a{100}){100}){100})", id="too large when compiled"),
        pytest.param(r"\pL{200}", id="larger than what is fast"),
    ],
)
def test_bad_patterns_say_why(pattern):
    with pytest.raises(ValueError, match="not a valid RE2 pattern: .+"):
        Pattern(pattern)


def test_case_rule():
    assert not Pattern(dialect("ssn", case_sensitive=True)).search(b"SSN")
    assert Pattern(dialect("ssn|iban", case_sensitive=False)).search(b"IBAN")


def test_patterns_find_all_that_occur():
    patterns = Patterns([r"\bapi[_ -]?key\b", "[?？]", "nothing", "^why"])

    assert patterns.found(b"") == []
    assert sorted(patterns.found(encode("why is my API-key, api key？"))) == [0, 1, 3]


def test_no_patterns_find_nothing():
    assert Patterns([]).found(b"text") == []


@pytest.mark.parametrize("memory", [1 << bits for bits in range(8, 24, 3)])
def test_too_little_memory_for_all_together_changes_no_answer(memory):
    patterns = Patterns([rf"x{i}[\pL\pN]{{5}}y" for i in range(20)] + ["needle"], memory)

    assert patterns.found(b"nothing") == []
    assert sorted(patterns.found(b"a needle, x7abcdey")) == [7, 20]


@given(st.text())
@settings(deadline=None)
def test_any_text_is_accepted(text):
    assert Patterns(["x*"]).found(encode(text)) == [0]


def test_a_lone_surrogate_is_no_crash():
    assert Patterns(["abc"]).found(encode("\ud800abc")) == [0]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        pytest.param("[?？]", "no", 0, id="none"),
        pytest.param("[?？]", "what? 什么？", 2, id="several"),
        pytest.param("aa", "aaaa", 2, id="without overlap"),
        pytest.param(r"(?m)^\s*\d+\.\s+", "1. a\n2. b\nx", 2, id="line starts"),
    ],
)
def test_count(pattern, text, expected):
    data = encode(text)

    assert Pattern(pattern).count(data) == (expected, len(data))


def test_counting_stops_and_says_where():
    assert Pattern(r"\?").count(b"a?" * (2 * MOST_MATCHES)) == (MOST_MATCHES, 2 * MOST_MATCHES)


def test_counting_reads_no_text_again_and_again():
    data = b"TODO " * 200_000
    found, read = Pattern("TODO(.*FIXME)?").count(data)

    assert 0 < found * (len(data) - read) <= 2 * MOST_REREAD
    assert read == 5 * found - 1
    assert Pattern("TODO").count(data[:40_000]) == (8000, 40_000)


def test_groups_cost_nothing():
    assert Pattern("(" * 5000 + "a" + ")" * 5000).count(b"aa") == (2, 2)


def test_plain_patterns():
    assert is_plain("credit card")
    assert not is_plain(r"\bcard")
    assert not is_plain("cards?")
