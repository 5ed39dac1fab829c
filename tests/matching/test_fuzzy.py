import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.fuzzy import Fuzzy


@pytest.mark.parametrize(
    ("keyword", "threshold", "text", "expected"),
    [
        pytest.param("ssn", 2, "the sun and his son", False, id="three letters: no edits"),
        pytest.param("asap", 2, "as a map of soap", False, id="four letters: not two edits"),
        pytest.param("asap", 2, "asaap please", True, id="four letters: one edit"),
        pytest.param("urgent", 1, "urgnet pelase urgt", True, id="a swap is one edit"),
        pytest.param("urgent", 1, "urgt", False, id="two edits above a threshold of one"),
        pytest.param("urgent", 0, "urgt", True, id="default: two edits"),
        pytest.param("emergency", 2, "emergncey!", True, id="two edits"),
        pytest.param("password", 2, "keyboard", False, id="another word"),
        pytest.param("password", 5, "keyboard", False, id="never more than a third"),
        pytest.param("credit card", 2, "my credti crad number", True, id="two words"),
        pytest.param("credit card", 2, "my credit score and card", False, id="not adjacent"),
        pytest.param("credit card", 2, "my creditcard", True, id="written together"),
        pytest.param("api key", 2, "the api-key", True, id="punctuation for the blank"),
        pytest.param("social security", 82, "soical security", True, id="per cent"),
        pytest.param("social security", 82, "social justice", False, id="per cent, too far"),
        pytest.param("password", 82, "passwrd", True, id="per cent, one letter missing"),
        pytest.param("card", 82, "cart", False, id="per cent, short word"),
        pytest.param("привет", 2, "превет", True, id="cyrillic"),
        pytest.param("密码", 2, "密马", False, id="no words without spaces"),
        pytest.param("++", 2, "--", False, id="no word at all"),
    ],
)
def test_fuzzy(keyword, threshold, text, expected):
    assert bool(Fuzzy([(keyword, threshold)]).found(text, [0])) is expected


def test_only_what_is_asked_for():
    fuzzy = Fuzzy([("urgent", 2), ("password", 2)])

    assert fuzzy.found("urgnt passwrd", [1]) == [1]


@given(st.text(max_size=10), st.integers(0, 100), st.text(max_size=40))
@settings(deadline=None)
def test_any_unicode_is_no_crash(keyword, threshold, text):
    assert Fuzzy([(keyword, threshold)]).found(text, [0]) in ([], [0])
