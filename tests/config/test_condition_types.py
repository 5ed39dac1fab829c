import pytest

from orchestrator.config.condition_types import types

KNOWN = ("word", "user_feedback", "risk")
SECTIONS = {"word_rules": "word", "user_feedbacks": "user_feedback", "hazards": "risk"}
ALL = "known: risk, user_feedback, word"


def said(rules):
    routing = {"decisions": [{"name": "d", "rules": rules}]}
    found = types(routing, ("routing",), KNOWN, SECTIONS)
    return [(*one.path[4:], one.message, one.hint) for one in found]


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(None, id="none"),
        pytest.param([{"type": "x"}], id="a list"),
        pytest.param({"type": "word"}, id="known"),
        pytest.param({"type": ""}, id="empty, which the schema refuses"),
        pytest.param({"type": ["wrd"]}, id="no name at all, which the schema refuses"),
        pytest.param({"conditions": "wrd"}, id="conditions that are none"),
        pytest.param({"conditions": ["wrd", None]}, id="conditions that are texts"),
    ],
)
def test_nothing_to_say(rules):
    assert said(rules) == []


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        pytest.param("wrd", "did you mean 'word'?", id="misspelt"),
        pytest.param("Word", "did you mean 'word'?", id="capital"),
        pytest.param("hazards", "did you mean 'risk'?", id="a section"),
        pytest.param("not", "write operator: NOT", id="an operator"),
        pytest.param("zzz", ALL, id="like none"),
        pytest.param(3, ALL, id="a number"),
    ],
)
def test_what_would_be_right(kind, hint):
    assert said({"type": kind}) == [("type", f"unknown condition type {str(kind)!r}", hint)]


def test_every_one_of_a_tree_in_reading_order_with_its_place():
    one, two = {"type": "one"}, {"type": "two", "conditions": [{"type": "three"}]}

    found = said({"operator": "OR", "conditions": [{"operator": "AND", "conditions": [one]}, two]})

    assert [(path, message) for *path, message, _ in found] == [
        (["conditions", 0, "conditions", 0, "type"], "unknown condition type 'one'"),
        (["conditions", 1, "type"], "unknown condition type 'two'"),
        (["conditions", 1, "conditions", 0, "type"], "unknown condition type 'three'"),
    ]


@pytest.mark.parametrize("routing", [{}, {"decisions": "d"}, {"decisions": [None, {"name": "d"}]}])
def test_what_has_no_trees(routing):
    assert list(types(routing, ("routing",), KNOWN, SECTIONS)) == []
