"""Whatever a document holds, it loads or its problems are told."""

import copy

import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.check import references
from orchestrator.config.leaves import leaves
from orchestrator.config.load import (
    parse,
)
from orchestrator.config.order import order
from orchestrator.config.schema import profiles
from orchestrator.config.unused import unused
from orchestrator.errors import ConfigError

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)

names = st.sampled_from(
    "version listeners providers models defaults routing signals keywords decisions rules operator"
    " conditions type name predicate gte modelRefs plugins algorithm configuration recipes global"
    " router stores services response_cache semantic_cache embedding_config entrypoints"
    " api_key headers model_selection method management_api bind_address learning".split()
)

trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(names | st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=30,
)


def written(tree):
    """Flow-style YAML of a tree; texts unquoted, so that they may be any syntax."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key}: {written(value)}" for key, value in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(written, tree)) + "]"
    return str(tree)


@given(st.dictionaries(names, trees, min_size=1))
def test_junk_trees_raise_config_errors_only(tree):
    text = "\n".join(f"{key}: {written(value)}" for key, value in tree.items())
    try:
        parse(text, "junk.yaml", {})
    except ConfigError as error:
        assert error.problems
        assert all(problem.line for problem in error.problems)


GOOD = {
    "listeners": [{"port": 1}],
    "providers": {
        "defaults": {"default_model": "m", "reasoning_families": {}},
        "models": [{"name": "m", "backend_refs": [{"endpoint": "e", "api_key": "k"}]}],
    },
    "routing": {
        "modelCards": [{"name": "m", "loras": [{"name": "l"}]}],
        "signals": {"keywords": [{"name": "k"}]},
        "decisions": [
            {
                "name": "d",
                "rules": {"operator": "NOT", "conditions": [{"type": "t", "name": "n"}]},
                "modelRefs": [{"model": "m", "lora_name": "l"}],
                "algorithm": {"type": "static"},
                "plugins": [{"type": "semantic-cache", "configuration": {"headers": {"a": "b"}}}],
                "emits": [{"kind": "retention", "retention": {"ttl_turns": 1}}],
                "annotations": {"a": "b"},
            }
        ],
    },
    "entrypoints": [{"model_names": ["x"], "recipe": "default"}],
    "recipes": [{"name": "r", "routing": {"strategy": "priority"}}],
    "global": {
        "router": {"model_selection": {"method": "knn"}, "signal_deadline": "2s"},
        "services": {"management_api": {"bind_address": "127.0.0.1"}},
        "stores": {"semantic_cache": {"enabled": True}},
        "model_catalog": {"modules": {"hallucination_mitigation": {"enabled": False}}},
    },
}


def places_of(tree):
    """Every (container, key) inside a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield tree, key
        if isinstance(value, dict | list):
            yield from places_of(value)


@given(st.data())
def test_a_good_document_with_one_wrong_value(data):
    tree = copy.deepcopy(GOOD)
    container, key = data.draw(st.sampled_from(list(places_of(tree))))
    container[key] = data.draw(trees)
    text = yaml.safe_dump(tree)
    try:
        result = parse(text, "mutant.yaml", {})
    except ConfigError as error:
        assert error.problems
        return
    check = result.check()
    check.add(references(result.config))
    check.add(order(result.config))
    check.add(finding for profile in profiles(result.config) for finding in leaves(profile, {}))
    assert all(problem.line for problem in (*check.problems, *unused(result.config, result.source)))


@given(st.text() | st.text("[]{}:,-&*!|>'\"%@`#?\n\t $<a0"))
def test_junk_text_raises_config_errors_only(text):
    for prefix in ("", "routing: {}\nglobal: "):
        try:
            parse(prefix + text, "junk.yaml", {})
        except ConfigError as error:
            assert error.problems


def test_large_policies_load():
    """1,000 decisions of 20 conditions, the size that must load in seconds."""
    rows = [
        {
            "name": f"d{index}",
            "rules": {
                "operator": "AND",
                "conditions": [{"type": "t", "name": f"r{n}"} for n in range(20)],
            },
        }
        for index in range(1000)
    ]
    config = parse(f"routing: {written({'decisions': rows})}", "big.yaml", {}).config

    assert len(config.routing.decisions) == 1000
    assert all(len(d.rules.conditions) == 20 for d in config.routing.decisions if d.rules)
