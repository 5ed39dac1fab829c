"""Every kind of mistake in a document, each with the exact place and sentence."""

import pytest

from orchestrator.errors import Problem
from tests.config.documents import problems

# id · document · path · line · message · hint
BAD = [
    (
        "unknown key",
        "routing:\n  decisions:\n    - name: a\n      prioritty: 5\n",
        "routing.decisions[0].prioritty",
        4,
        "unknown key 'prioritty'",
        "did you mean 'priority'?",
    ),
    (
        "unknown key of the document",
        "routing: {}\nrecipies: []\n",
        "recipies",
        2,
        "unknown key 'recipies'",
        "did you mean 'recipes'?",
    ),
    (
        "unknown key of a block deep in global",
        "global:\n  model_catalog:\n    embeddings:\n      semantic:\n        embedding_config:\n"
        "          topk: 3\n",
        "global.model_catalog.embeddings.semantic.embedding_config.topk",
        6,
        "unknown key 'topk'",
        "did you mean 'top_k'?",
    ),
    (
        "unknown key in a condition, with nothing near",
        "routing:\n  decisions:\n    - name: a\n      rules:\n        operator: AND\n"
        "        conditions:\n          - {type: t, name: n, zzz: 1}\n",
        "routing.decisions[0].rules.conditions[0].zzz",
        7,
        "unknown key 'zzz'",
        "known: conditions, label, name, on_error, operator, predicate, type",
    ),
    (
        "text where an integer is wanted",
        "routing:\n  decisions:\n    - name: a\n      priority: high\n",
        "routing.decisions[0].priority",
        4,
        "expected an integer, found 'high'",
        None,
    ),
    (
        "mapping where a list is wanted",
        "routing:\n  decisions:\n    a: {name: a}\n",
        "routing.decisions",
        2,
        "expected a list, found a mapping",
        None,
    ),
    (
        "text where a mapping is wanted",
        "routing: keywords\n",
        "routing",
        1,
        "expected a mapping, found 'keywords'",
        None,
    ),
    (
        "list where text is wanted",
        "routing:\n  decisions:\n    - name: [a]\n",
        "routing.decisions[0].name",
        3,
        "expected a text, found a list",
        None,
    ),
    (
        "not a truth value",
        "global: {router: {include_config_models_in_list: maybe}}\n",
        "global.router.include_config_models_in_list",
        1,
        "expected true or false, found 'maybe'",
        None,
    ),
    (
        "missing key",
        "routing:\n  decisions:\n    - priority: 1\n",
        "routing.decisions[0]",
        3,
        "the key 'name' is missing",
        None,
    ),
    (
        "null for a key that must be there",
        "routing:\n  decisions:\n    - priority: 1\n      name:\n",
        "routing.decisions[0]",
        3,
        "the key 'name' is missing",
        None,
    ),
    (
        "empty name",
        "routing:\n  decisions:\n    - name: ' '\n",
        "routing.decisions[0].name",
        3,
        "expected a text that is not empty, found ' '",
        None,
    ),
    (
        "not one of the choices",
        "routing:\n  strategy: confidense\n",
        "routing.strategy",
        2,
        "expected 'priority' or 'confidence', found 'confidense'",
        "did you mean 'confidence'?",
    ),
    (
        "choice in the wrong case",
        "routing: {decisions: [{name: a, rules: {operator: and}}]}\n",
        "routing.decisions[0].rules.operator",
        1,
        "expected 'AND', 'OR' or 'NOT', found 'and'",
        "did you mean 'AND'?",
    ),
    (
        "other version",
        "version: v0.9\nrouting: {}\n",
        "version",
        1,
        "expected 'v0.3', found 'v0.9'",
        "did you mean 'v0.3'?",
    ),
    (
        "number below its range",
        "routing: {decisions: [{name: a, tier: -1}]}\n",
        "routing.decisions[0].tier",
        1,
        "expected a number of at least 0, found -1",
        None,
    ),
    (
        "number above its range",
        "listeners: [{port: 70000}]\nrouting: {}\n",
        "listeners[0].port",
        1,
        "expected a number of at most 65535, found 70000",
        None,
    ),
    (
        "number of a variable",
        "listeners: [{port: '${PORT}'}]\nrouting: {}\n",
        "listeners[0].port",
        1,
        "expected an integer, found '${PORT}'",
        None,
    ),
    (
        "unset variable",
        "global:\n  router:\n    auto_model_name: ${NAME}\n",
        "global.router.auto_model_name",
        3,
        "environment variable NAME is not set",
        "set it, give a default as ${NAME:-default}, or write $$ for a dollar sign",
    ),
    (
        "not a duration",
        "global: {router: {signal_deadline: soon}}\n",
        "global.router.signal_deadline",
        1,
        "expected a duration such as 300s, 1m30s or 500ms, found 'soon'",
        None,
    ),
    (
        "key given twice",
        "routing:\n  decisions: []\n  decisions: []\n",
        "routing.decisions",
        3,
        "key 'decisions' is given twice, first on line 2",
        None,
    ),
    (
        "backend without address",
        "routing: {}\nproviders:\n  models:\n    - name: m\n      backend_refs:\n"
        "        - name: b\n",
        "providers.models[0].backend_refs[0]",
        6,
        "a backend needs endpoint or base_url",
        None,
    ),
    (
        "entrypoint without names",
        "routing: {}\nentrypoints:\n  - recipe: default\n    model_names: []\n",
        "entrypoints[0].model_names",
        4,
        "expected at least 1 item(s), found a list",
        None,
    ),
    (
        "list of signals that is a mapping",
        "routing:\n  signals:\n    keywords:\n      name: a\n",
        "routing.signals.keywords",
        3,
        "expected a list, found a mapping",
        None,
    ),
    (
        "row of a signal that is text",
        "routing:\n  signals:\n    keywords:\n      - urgent\n",
        "routing.signals.keywords[0]",
        4,
        "expected a mapping, found 'urgent'",
        None,
    ),
]


@pytest.mark.parametrize(
    ("text", "path", "line", "message", "hint"), [row[1:] for row in BAD], ids=[r[0] for r in BAD]
)
def test_bad_documents(text, path, line, message, hint):
    found = problems(text, {"PORT": "hidden"})

    assert found == (Problem(path, message, line, "router.yaml", hint, "error"),)
