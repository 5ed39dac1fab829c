"""Every kind of mistake in a document, each with the exact place and sentence."""

import copy

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.config.check import references
from orchestrator.config.leaves import leaves
from orchestrator.config.load import (
    backend_key,
    internal_listener,
    load,
    parse,
    resolve_secret,
    reveal,
)
from orchestrator.config.order import order
from orchestrator.config.schema import BackendRef, profiles
from orchestrator.config.unused import unused
from orchestrator.errors import ConfigError, Problem
from tests.config.documents import MINIMAL, loaded, places, problems

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


def test_all_problems_at_once_in_file_order():
    found = problems(
        """\
        listeners:
          - port: many
        providers:
          default_model: small
        routing:
          strategy: best
          decisions:
            - name: a
              rules:
                operator: AND
                conditions:
                  - {type: t}
                  - {type: t, name: n, predicate: {}}
              modelRefs: [{modell: m}]
        global:
          stores: {semantic_cache: {enabled: false}, response_cache: {enabled: false}}
          router: {auto_model_name: "${NAME}"}
        """
    )

    assert places(found) == [
        ("listeners[0].port", 2),
        ("providers.default_model", 4),
        ("routing.strategy", 6),
        ("routing.decisions[0].rules.conditions[0]", 12),
        ("routing.decisions[0].rules.conditions[1].predicate", 13),
        ("routing.decisions[0].modelRefs[0]", 14),
        ("routing.decisions[0].modelRefs[0].modell", 14),
        ("global.stores.semantic_cache", 16),
        ("global.router.auto_model_name", 17),
    ]


def test_message_of_the_error_lists_every_problem():
    with pytest.raises(ConfigError) as caught:
        loaded("routing: {decisions: [{priority: x}]}\n")

    assert str(caught.value).splitlines() == [
        "router.yaml cannot be used: 2 errors",
        "router.yaml:1: routing.decisions[0]: the key 'name' is missing",
        "router.yaml:1: routing.decisions[0].priority: expected an integer, found 'x'",
    ]


class TestFiles:
    def test_a_file(self, tmp_path):
        path = tmp_path / "router.yaml"
        path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())  # a byte order mark does not matter

        result = load(path, {})

        assert result.config.providers.defaults.default_model == "small"
        assert result.source.name == str(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(ConfigError, match=r"cannot read .*gone\.yaml: No such file"):
            load(tmp_path / "gone.yaml", {})

    def test_a_folder(self, tmp_path):
        with pytest.raises(ConfigError, match="Is a directory"):
            load(tmp_path, {})

    def test_not_utf8(self, tmp_path):
        path = tmp_path / "router.yaml"
        path.write_bytes(b"routing:\n  a: \xff\n")

        with pytest.raises(ConfigError) as caught:
            load(path, {})

        assert places(caught.value.problems) == [("(document)", 2)]


SECRETS = """\
providers:
  models:
    - name: m
      backend_refs:
        - base_url: https://example.com/v1
          api_key: literal-key-1
          extra_headers: {X-Tenant-Key: literal-key-2}
routing:
  decisions:
    - name: a
      plugins:
        - type: rag
          configuration: {backend_config: {api_key: literal-key-3}}
global:
  services:
    router_replay: {postgres: {password: literal-key-4, user: 12345678}}
  model_catalog:
    modules: {classifier: {mcp: {env: {TOKEN: literal-key-5}}}}
    external:
      - name: e
        model_role: scoring
        access_key: literal-key-6
        llm_endpoint: {address: a, port: 1}
"""


class TestSecrets:
    def test_no_secret_in_any_text(self):
        result = loaded(SECRETS)
        texts = [
            repr(result),
            str(result.config),
            str(result.config.model_dump()),
            result.config.model_dump_json(by_alias=True),
            repr(result.data),
            repr(result.source),
            repr(result.config.providers.models[0].backend_refs[0]),
        ]

        assert not [text for text in texts if "literal-key" in text]
        assert all("****" in text for text in texts)

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("providers: {models: [{name: m, api_key: literal-key}]}", id="unknown"),
            pytest.param(
                "providers: {models: [{name: m, backend_refs: [{endpoint: e, api_key:"
                " [literal-key]}]}]}",
                id="list",
            ),
            pytest.param(
                "providers: {models: [{name: m, backend_refs: [{endpoint: e, extra_headers:"
                " literal-key, api_key: {value: literal-key}}]}]}",
                id="mapping, or none",
            ),
            pytest.param(
                "global: {services: {management_api: {auth: {tokens: [literal-key]}}}}",
                id="token for a mapping",
            ),
            pytest.param(
                "global: {model_catalog: {external: [{name: e, token: literal-key}]}}", id="global"
            ),
        ],
    )
    def test_no_secret_in_problems(self, text):
        with pytest.raises(ConfigError) as caught:
            loaded(text + "\nrouting: {}\n")

        assert "literal-key" not in str(caught.value)
        assert "literal-key" not in repr(caught.value.problems)
        assert caught.value.__cause__ is None and caught.value.__context__ is None

    def test_numbers_keep_their_digits(self):
        config = loaded(
            "routing: {}\nproviders: {models: [{name: m, backend_refs: [{endpoint: e,"
            " api_key: 0123}]}]}\n"
        ).config

        key = config.providers.models[0].backend_refs[0].api_key
        assert key is not None and key.get_secret_value() == "0123"

    def test_unset_variables_of_secrets_do_not_matter_before_use(self):
        result = loaded(
            "routing: {}\nproviders: {models: [{name: m, backend_refs: [{endpoint: e,"
            " api_key: '${KEY}'}]}]}\n"
        )
        backend = result.config.providers.models[0].backend_refs[0]

        assert backend_key(backend, {"KEY": "k"}) == "k"
        with pytest.raises(ConfigError, match="environment variable KEY is not set"):
            backend_key(backend, {})

    @pytest.mark.parametrize(
        ("fields", "key"),
        [
            pytest.param({}, None, id="none"),
            pytest.param({"api_key": ""}, None, id="empty"),
            pytest.param({"api_key": "a$$b"}, "a$b", id="literal with a dollar"),
            pytest.param({"api_key_env": "KEY"}, "k", id="variable"),
            pytest.param({"api_key": "own", "api_key_env": "KEY"}, "own", id="both"),
        ],
    )
    def test_key_of_a_backend(self, fields, key):
        assert backend_key(BackendRef(endpoint="e", **fields), {"KEY": "k"}) == key

    def test_half_a_password_is_not_shown(self):
        backend = BackendRef(endpoint="e", api_key="half$otherhalf")

        with pytest.raises(ConfigError) as caught:
            reveal(backend.api_key, {})

        assert "otherhalf" not in str(caught.value)

    @pytest.mark.parametrize("environ", [{}, {"KEY": ""}], ids=["unset", "empty"])
    def test_resolve_secret(self, environ):
        assert resolve_secret("KEY", {"KEY": "k"}) == "k"
        with pytest.raises(ConfigError, match="environment variable KEY is not set"):
            resolve_secret("KEY", environ)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [({}, False), ({"VLLM_SR_MANAGEMENT_INTERNAL_LISTENER": "true"}, True)],
    ids=["unset", "set"],
)
def test_internal_listener(environ, expected):
    assert internal_listener(environ) is expected


@pytest.mark.parametrize(
    ("environ", "folders"),
    [
        pytest.param({}, ["{0}", "{0}/.vllm-sr", "/app/config"], id="the folder of the file"),
        pytest.param(
            {"VLLM_SR_CONFIG_BASE_DIR": "/base"},
            ["/base", "/base/.vllm-sr", "/app/config"],
            id="another base",
        ),
        pytest.param(
            {"VLLM_SR_CONFIG_ASSET_ROOT": "/assets"},
            ["{0}", "{0}/.vllm-sr", "/assets", "/app/config"],
            id="shared files",
        ),
    ],
)
def test_folders_of_what_a_policy_names(tmp_path, environ, folders):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "router.yaml").write_text(MINIMAL)
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real" / "router.yaml")

    found = load(tmp_path / "link.yaml", environ).config.folders

    assert [str(folder) for folder in found] == [
        folder.format((tmp_path / "real").resolve()) for folder in folders
    ]


def test_a_text_that_is_no_file_has_no_folder():
    assert loaded(MINIMAL).config.folders == ()


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


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("api_key_env: sk-hunter2secret", id="key for the name of a variable"),
        pytest.param("auth_header: 'Bearer hunter2secret'", id="key for the name of a header"),
        pytest.param('auth_prefix: "hunter2secret\\r\\nx: y"', id="line break in a prefix"),
        pytest.param('api_key: "hunter2secret\\nx: y"', id="line break in a key"),
        pytest.param('extra_headers: {x-a: "hunter2secret\\0"}', id="NUL in a header"),
        pytest.param('extra_headers: {"x hunter2secret": a}', id="blank in a header's name"),
    ],
)
def test_what_no_header_can_carry_is_refused_and_not_shown(field):
    text = (
        "routing: {}\nproviders:\n  models:\n    - name: m\n      backend_refs:\n"
        f"        - endpoint: e:1\n          {field}\n"
    )
    with pytest.raises(ConfigError) as caught:
        parse(text)

    (problem,) = caught.value.problems
    assert problem.line == 7
    assert "hunter2secret" not in str(problem)


def test_a_token_for_the_name_of_its_variable_is_not_shown():
    with pytest.raises(ConfigError) as caught:
        parse(
            "global:\n  services:\n    management_api:\n      auth:\n        tokens:\n"
            "          - {env: sk-hunter2secret, role: admin}\n"
        )

    (problem,) = caught.value.problems
    assert problem.message.endswith("not the key itself")
    assert "hunter2secret" not in str(problem)


def test_a_key_of_two_lines_in_the_environment_is_refused():
    backend = BackendRef(endpoint="e", api_key_env="KEY")

    assert backend_key(backend, {"KEY": "hunter2\n"}) == "hunter2"
    with pytest.raises(ConfigError, match="^environment variable KEY has control characters"):
        backend_key(backend, {"KEY": "hunter2\nx: y"})
