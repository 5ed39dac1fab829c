import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.bm25 import Bm25

CODE = ["code", "function", "debug", "algorithm", "refactor"]


@pytest.mark.parametrize(
    ("keywords", "text", "expected"),
    [
        pytest.param(CODE, "what is the weather", [], id="no shared word"),
        pytest.param(CODE, "", [], id="nothing"),
        pytest.param(["how to"], "how to do it", [], id="function words say nothing"),
        pytest.param(["email"], "e-mail me", [], id="a hyphen separates"),
        pytest.param(CODE, "Debugging two FUNCTIONS", [1, 2], id="stems and case"),
        pytest.param(["machine learning"], "learn to cook", [0], id="one word of a phrase"),
        pytest.param(["naïve bayes"], "naive approach", [0], id="accents off"),
        pytest.param(["straße"], "strasse", [0], id="sharp s"),
        pytest.param(["user's guide"], "the users", [0], id="possessive"),
        pytest.param(["机器学习"], "我想学机器人", [0], id="a pair of han characters"),
        pytest.param(["机器学习"], "我想学画画", [], id="one shared han character is not enough"),
        pytest.param(["学"], "学", [0], id="a han character alone"),
    ],
)
def test_found(keywords, text, expected):
    assert sorted(Bm25([(keywords, 0.1)]).found(text)) == expected


def test_score_of_one_word_keywords():
    # N = 5, n = 1, tf = 1, length = average: idf * 2.2 / 2.2
    idf = math.log(1 + (5 - 1 + 0.5) / (1 + 0.5))

    assert Bm25([(CODE, 0.1)]).scores("debug, debug") == {2: pytest.approx(2 * idf)}


def test_score_depends_on_length():
    # N = 2, both hold "card": idf = ln(1 + 0.5 / 2.5); lengths 2 and 1, average 1.5
    idf = math.log(1 + 0.5 / 2.5)

    assert Bm25([(["credit card", "card"], 0.1)]).scores("card") == {
        0: pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 1.5))),
        1: pytest.approx(idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 1.5))),
    }


def test_rules_keep_their_own_statistics_and_thresholds():
    index = Bm25([(["code"], 5.0), (["code", "debug"], 0.0)])

    assert index.found("code") == [1]


@given(st.lists(st.text(max_size=8), max_size=4), st.text(max_size=60))
@settings(deadline=None)
def test_any_unicode_is_no_crash(keywords, text):
    assert all(score > 0 for score in Bm25([(keywords, 0.1)]).scores(text).values())
