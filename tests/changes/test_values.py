import pytest
from pydantic import BaseModel, SecretStr

from orchestrator.changes.values import FieldChange, differences, jsonable, plain, shown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, id="the order of keys"),
        pytest.param({"a": None}, {}, id="null is not there"),
        pytest.param({"a": []}, {"a": None}, id="an empty list is nothing"),
        pytest.param([{"name": "x", "v": 1}], [{"v": 1, "name": "x"}], id="items by name"),
        pytest.param(SecretStr("k"), SecretStr("k"), id="the same secret"),
    ],
)
def test_no_difference(old, new):
    assert list(differences(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b: 1 -> 2"], id="deep"),
        pytest.param({}, {"a": "x"}, ["a: nothing -> x"], id="more"),
        pytest.param({"a": ""}, {"a": "x"}, ['a: "" -> x'], id="an empty text"),
        pytest.param({"a": [1, 2]}, {"a": [2, 3]}, ["a: + 3 - 1"], id="members of a list"),
        pytest.param({"a": [1, 2]}, {"a": [2, 1]}, ["a: [1, 2] -> [2, 1]"], id="order of scalars"),
        pytest.param(
            {"a": [{"name": "x", "v": 1}, {"name": "y"}]},
            {"a": [{"name": "y"}, {"name": "x", "v": 2}]},
            ["a[x].v: 1 -> 2", 'a (order): ["x", "y"] -> ["y", "x"]'],
            id="items by name, and their order",
        ),
        pytest.param(
            {"a": [{"v": 1}]},
            {"a": [{"v": 2}, {"v": 3}]},
            ["a[0].v: 1 -> 2", 'a[1]: nothing -> {"v": 3}'],
            id="items without names by number",
        ),
        pytest.param(
            {"k": SecretStr("a")},
            {"k": SecretStr("b")},
            ["k: (secret) -> (another secret)"],
            id="secrets are not shown",
        ),
        pytest.param(
            {"k": None}, {"k": SecretStr("b")}, ["k: nothing -> (secret)"], id="a new secret"
        ),
    ],
)
def test_differences(old, new, expected):
    assert [str(change) for change in differences(old, new)] == expected


def test_a_password_in_a_url_is_not_shown():
    url = "http://user:hunter2@host/v1"

    assert shown(url) == "http://***@host/v1"
    assert "hunter2" not in str(jsonable({"a": [url]}))


def test_what_is_long_is_cut():
    assert len(shown("x" * 1000)) == 160


def test_plain_fills_in_defaults():
    class Inner(BaseModel):
        size: int = 3

    class Outer(BaseModel):
        inner: Inner = Inner()
        names: frozenset[str] = frozenset({"b", "a"})
        pair: tuple[int, ...] = (1,)

    assert plain(Outer()) == {"inner": {"size": 3}, "names": ["a", "b"], "pair": [1]}


def test_a_field_change_knows_both_values():
    assert list(differences({"a": 1}, {"a": 2})) == [FieldChange("a", 1, 2)]
