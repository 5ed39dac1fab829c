import pytest

from orchestrator.config.schema import Config, profiles, strategy
from tests.config.documents import loaded

TWO = """\
global: {router: {strategy: confidence}}
routing:
  strategy: ""
  signals: {keywords: , context: [{name: c}]}
recipes:
  - name: strict
    routing: {strategy: priority}
"""


def test_profiles_start_with_the_default_recipe():
    config = loaded(TWO).config

    assert [(p.name, p.path) for p in profiles(config)] == [
        ("default", ("routing",)),
        ("strict", ("recipes", 0, "routing")),
    ]


def test_a_recipe_may_be_the_default():
    config = loaded("global: {}\nrecipes: [{name: default}]").config

    assert [(p.name, p.path) for p in profiles(config)] == [("default", ("recipes", 0, "routing"))]


def test_strategy_is_the_recipe_s_or_the_router_s():
    config = loaded(TWO).config

    assert [strategy(config, p.routing) for p in profiles(config)] == ["confidence", "priority"]


def test_empty_sections_are_left_out():
    assert list(loaded(TWO).config.routing.signals) == ["context"]


def test_an_empty_block_is_the_default():
    assert loaded("routing:\nglobal:\n").config == Config()


@pytest.mark.parametrize("attribute", ["routing", "version"])
def test_config_is_frozen(attribute):
    config = Config()

    with pytest.raises(ValueError, match="frozen"):
        setattr(config, attribute, None)
