import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config import editing
from orchestrator.config.editing import MASK
from orchestrator.config.load import parse
from orchestrator.config.read import verbatim
from orchestrator.errors import ConfigError

TEXT = """
version: v0.3
providers:
  models:
    - {name: m, backend_refs: [{endpoint: "h:1", api_key: sk-1, extra_headers: {X-Key: k}}]}
    - {name: n, backend_refs: [{base_url: "http://u:p@h:2/v1", api_key: "${KEY}"}]}
routing:
  modelCards: [{name: m}, {name: n}]
  signals:
    keywords: [{name: norway, operator: OR, keywords: [no, "on", 010, 2026-01-01, "${X:-y}"]}]
global:
  services: {management_api: {auth: {tokens: [{env: TOKEN, role: admin}]}}}
"""


def test_only_credentials_are_masked():
    shown = editing.masked(verbatim(TEXT, "t"))

    first, second = (model["backend_refs"][0] for model in shown["providers"]["models"])
    assert first == {"endpoint": "h:1", "api_key": MASK, "extra_headers": {"X-Key": MASK}}
    assert second == {"base_url": f"http://{MASK}@h:2/v1", "api_key": "${KEY}"}
    assert shown["routing"] == verbatim(TEXT, "t")["routing"]
    tokens = shown["global"]["services"]["management_api"]["auth"]["tokens"]
    assert tokens == [{"env": "TOKEN", "role": "admin"}]


@pytest.mark.parametrize(
    ("value", "hidden"),
    [
        pytest.param("${KEY}", False, id="a reference"),
        pytest.param("$KEY_2", False, id="without braces"),
        pytest.param("${KEY:-sk-1}", True, id="with a default"),
        pytest.param("${KEY-sk-1}", True, id="with a default if unset"),
        pytest.param("${}", True, id="of nothing"),
        pytest.param("$1", True, id="no name"),
        pytest.param("${KEY}sk-1", True, id="and more"),
        pytest.param("${KEY}\n", True, id="and a line's end"),
    ],
)
def test_which_credentials_are_mere_references(value, hidden):
    backend = {"backend_refs": [{"api_key": value}]}
    shown = editing.masked({"providers": {"models": [backend]}})

    assert shown["providers"]["models"][0]["backend_refs"][0]["api_key"] == (
        MASK if hidden else value
    )


def test_what_is_shown_masked_cannot_come_back():
    with pytest.raises(ConfigError) as failure:
        editing.refuse_masks(editing.masked(verbatim(TEXT, "t")), "t")

    assert [one.path for one in failure.value.problems] == [
        "providers.models[0].backend_refs[0].api_key",
        "providers.models[0].backend_refs[0].extra_headers.X-Key",
        "providers.models[1].backend_refs[0].base_url",
    ]


def test_stars_in_a_prompt_are_no_secret():
    editing.refuse_masks({"routing": {"decisions": [{"description": MASK}]}}, "t")


def test_a_document_means_the_same_after_it_was_data():
    again = editing.dump(verbatim(TEXT, "t"))

    assert verbatim(again, "t") == verbatim(TEXT, "t")
    assert parse(again, environ={"KEY": "k"}).config == parse(TEXT, environ={"KEY": "k"}).config


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc$", max_size=4), inner),
    max_leaves=12,
)


@given(VALUES)
def test_values_survive_being_written(value):
    data = {"routing": value}

    assert verbatim(editing.dump(data), "t") == data


@pytest.mark.parametrize(
    ("data", "patch", "result"),
    [
        pytest.param({"a": 1}, {}, {"a": 1}, id="nothing"),
        pytest.param({"a": 1}, {"b": 2}, {"a": 1, "b": 2}, id="more"),
        pytest.param({"a": 1}, {"a": None}, {}, id="null removes"),
        pytest.param({}, {"a": None}, {}, id="what is not there"),
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}, id="deep"),
        pytest.param({"a": [1, 2]}, {"a": [3]}, {"a": [3]}, id="a list is replaced"),
        pytest.param({"a": [1]}, {"a": {"b": None}}, {"a": {}}, id="a list by a mapping"),
    ],
)
def test_a_merge_patch(data, patch, result):
    assert editing.merged(data, patch) == result


CARDS = {"modelCards": [{"name": "m"}]}
OWN = {"routing": {**CARDS, "decisions": [1]}}
NAMED = {"routing": CARDS, "recipes": [{"name": "a", "routing": {}}, {"name": "default", "x": 1}]}


def test_the_top_level_is_the_recipe_default_without_the_catalogue():
    assert editing.recipes(OWN) == {"default": {"name": "default", "routing": {"decisions": [1]}}}


def test_a_recipe_that_is_named_default_stands_for_it():
    assert list(editing.recipes(NAMED)) == ["a", "default"]
    assert editing.recipes(NAMED)["default"]["x"] == 1


def test_recipes_are_added_replaced_and_removed_where_they_are():
    recipe = {"description": "d", "routing": {}}
    added = editing.with_recipe(OWN, "b", recipe)
    assert added["recipes"] == [{"name": "b", **recipe}]
    assert editing.with_recipe(NAMED, "a", recipe)["recipes"][0] == {"name": "a", **recipe}
    assert editing.without_recipe(added, "b") == {**OWN, "recipes": []}


def test_the_catalogue_survives_a_new_default_recipe():
    changed = editing.with_recipe(OWN, "default", {"routing": {"decisions": []}})

    assert changed == {"routing": {**CARDS, "decisions": []}}


@pytest.mark.parametrize("data", [OWN, {**OWN, "recipes": [{"name": "a"}]}], ids=["alone", "first"])
def test_a_description_of_the_default_recipe_is_kept(data):
    recipe = {"description": "d", "routing": {"decisions": []}}
    changed = editing.with_recipe(data, "default", recipe)

    assert changed["routing"] == CARDS
    assert changed["recipes"] == [{"name": "default", **recipe}, *data.get("recipes", [])]
    assert editing.recipes(changed)["default"] == {"name": "default", **recipe}
    without = editing.with_recipe(changed, "default", {"routing": {}})
    assert editing.recipes(without)["default"] == {"name": "default", "routing": {}}


@pytest.mark.parametrize(
    ("recipe", "paths"),
    [
        pytest.param({}, ["routing"], id="nothing"),
        pytest.param({"routing": None}, ["routing"], id="null"),
        pytest.param({"routing": [1]}, ["routing"], id="a list"),
        pytest.param({"routing": {}, "decisions": []}, ["decisions"], id="a key too many"),
        pytest.param({"decisions": []}, ["decisions", "routing"], id="both"),
    ],
)
def test_what_the_top_level_cannot_hold_is_refused(recipe, paths):
    with pytest.raises(ConfigError) as failure:
        editing.with_recipe(OWN, "default", recipe)

    assert [one.path for one in failure.value.problems] == paths


def test_only_listed_recipes_can_be_removed():
    with pytest.raises(KeyError):
        editing.without_recipe(OWN, "default")
