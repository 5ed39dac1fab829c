import pytest

from orchestrator.changes.renames import applied, pairs, rewritten

RENAMES = {("word", "a"): "b", ("task", "proof"): "maths"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": {"v": 1}}, {"a": {"v": 2}}, {}, id="the name stays"),
        pytest.param({"a": {"v": 1}}, {"b": {"v": 2}}, {}, id="the content changes too"),
        pytest.param({"a": {}}, {"b": {}}, {}, id="nothing is no content"),
        pytest.param({"a": {"v": 1}}, {"a": {"v": 1}, "b": {"v": 1}}, {}, id="a copy beside it"),
        pytest.param({"a": {"v": 1}}, {"b": {"v": 1}}, {"a": "b"}, id="only the name"),
        pytest.param(
            {"a": {"v": 1}, "b": {"v": 1}},
            {"c": {"v": 1}, "d": {"v": 1}},
            {"a": "c", "b": "d"},
            id="twins in their order",
        ),
    ],
)
def test_pairs(old, new, expected):
    assert pairs(old, new) == expected


@pytest.mark.parametrize(
    ("family", "name", "expected"),
    [
        pytest.param("topic", "a", "a", id="another family"),
        pytest.param("word", "abc", "abc", id="another name"),
        pytest.param("word", "a", "b", id="the name"),
        pytest.param("task", "proof:hard", "maths:hard", id="a level of the rule"),
    ],
)
def test_applied(family, name, expected):
    assert applied(RENAMES, family, name) == expected


def test_rewritten_reaches_every_reference_and_nothing_else():
    row = {"inputs": [{"type": "word", "name": "a", "weight": 1}, {"type": "x", "name": "a"}]}

    assert rewritten(row, RENAMES) == {
        "inputs": [{"type": "word", "name": "b", "weight": 1}, {"type": "x", "name": "a"}]
    }
