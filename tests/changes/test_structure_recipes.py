"""Recipes and entrypoints of two policies, compared."""

import pytest

from orchestrator.changes.structure import structure
from tests.changes.policies import POLICY, between, compiled, told

RECIPES = """\
entrypoints: [{model_names: [quick], recipe: fast}]
recipes:
  - name: fast
    routing: {decisions: [{name: always, modelRefs: [{model: small}]}]}
"""


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param(
            [("model_names: [quick]", "model_names: [quick, brisk]")],
            ["added entrypoint brisk recipe: nothing -> fast"],
            id="a name more",
        ),
        pytest.param(
            [
                ("name: fast\n    routing", "name: swift\n    routing"),
                ("recipe: fast", "recipe: swift"),
            ],
            ["renamed recipe swift (was fast)"],
            id="a recipe of another name",
        ),
        pytest.param(
            [("recipe: fast", "recipe: default")],
            ["changed entrypoint quick recipe: fast -> default"],
            id="a name that leads elsewhere",
        ),
        pytest.param(
            [("- name: fast\n    routing", "- name: fast\n    description: Hi\n    routing")],
            ["changed recipe fast description: nothing -> Hi"],
            id="a description",
        ),
        pytest.param(
            [("name: always,", "name: always, priority: 3,")],
            ["changed decision always priority: 0 -> 3"],
            id="a decision of one recipe",
        ),
    ],
)
def test_recipes_and_entrypoints(edits, expected):
    assert told(between(*edits, text=POLICY + RECIPES)) == expected


def test_a_recipe_that_comes_and_goes():
    without, with_ = compiled(), compiled(POLICY + RECIPES)

    assert told(structure(without, with_)) == [
        "added recipe fast",
        "added entrypoint quick recipe: nothing -> fast",
    ]
    assert told(structure(with_, without)) == ["removed recipe fast", "removed entrypoint quick"]
