import pytest

from tests.config.documents import loaded, places, problems

GONE_MODEL_KEYS = [
    "param_size",
    "context_window_size",
    "description",
    "capabilities",
    "loras",
    "quality_score",
    "modality",
    "tags",
]


@pytest.mark.parametrize(
    ("text", "path", "hint"),
    [
        pytest.param(
            "routing: {models: []}",
            "routing.models",
            "write routing.modelCards and providers.models",
            id="routing.models",
        ),
        pytest.param(
            "routing: {}\nproviders: {backends: {}}",
            "providers.backends",
            "write providers.models[].backend_refs",
            id="backends",
        ),
        pytest.param(
            "routing: {}\nproviders: {default_model: m}",
            "providers.default_model",
            "write it under providers.defaults",
            id="default_model",
        ),
        pytest.param(
            "routing: {}\nproviders: {models: [{name: m, provider_model_id: m, access_key: k}]}",
            "providers.models[0].access_key",
            "write providers.models[].backend_refs[].api_key_env",
            id="access_key",
        ),
        *(
            pytest.param(
                "routing: {}\n"
                f"providers: {{models: [{{name: m, api_format: openai, {key}: 1}}]}}",
                f"providers.models[0].{key}",
                "write it in routing.modelCards[]",
                id=f"provider {key}",
            )
            for key in GONE_MODEL_KEYS
        ),
        pytest.param(
            "global: {modules: {}}",
            "global.modules",
            "write it under global.model_catalog.modules",
            id="modules",
        ),
        pytest.param(
            "global: {model_catalog: {embeddings: {bert: {}}}}",
            "global.model_catalog.embeddings.bert",
            "write global.model_catalog.embeddings.semantic.bert_model_path",
            id="bert",
        ),
        pytest.param(
            "global: {router: {model_selection: {elo: {}}}}",
            "global.router.model_selection.elo",
            "remove it: global.router.learning does this now",
            id="selection block",
        ),
        pytest.param(
            "global: {router: {model_selection: {method: rl_driven}}}",
            "global.router.model_selection.method",
            "remove it, or choose another algorithm",
            id="selection method",
        ),
        pytest.param(
            "routing: {decisions: [{name: a, modelSelectionAlgorithm: {}}]}",
            "routing.decisions[0].modelSelectionAlgorithm",
            "write algorithm",
            id="modelSelectionAlgorithm",
        ),
        pytest.param(
            "routing: {decisions: [{name: a, allow_tools: []}]}",
            "routing.decisions[0].allow_tools",
            "write a plugin of type tools",
            id="tools of a decision",
        ),
        pytest.param(
            "routing: {signals: {taxonomy: []}}",
            "routing.signals.taxonomy",
            "write routing.signals.kb",
            id="taxonomy",
        ),
        pytest.param(
            "routing: {decisions: [{name: a, algorithm: {type: elo}}]}",
            "routing.decisions[0].algorithm.type",
            "remove it, or choose another algorithm",
            id="algorithm",
        ),
        pytest.param(
            "routing: {decisions: [{name: a, algorithm: {type: x, bandit: {}}}]}",
            "routing.decisions[0].algorithm.bandit",
            "remove it, or choose another algorithm",
            id="algorithm block",
        ),
        pytest.param(
            "routing: {}\nrecipes: [{name: r, routing: {decisions: [{name: a, tool_scope: x}]}}]",
            "recipes[0].routing.decisions[0].tool_scope",
            "write a plugin of type tools",
            id="in a recipe too",
        ),
        pytest.param(
            "routing: {}\nrecipes: [{name: r, routing: {modelCards: []}}]",
            "recipes[0].routing.modelCards",
            "all recipes share routing.modelCards: write it there",
            id="cards of a recipe",
        ),
    ],
)
def test_keys_that_are_gone(text, path, hint):
    found = problems(text)

    assert [(p.path, p.hint) for p in found] == [(path, hint)]
    assert "no longer in the format" in found[0].message or "modelCards" in path
    assert found[0].line == text[: text.index(path.rsplit(".", 1)[-1])].count("\n") + 1


@pytest.mark.parametrize("alias", ["semantic-cache", "semantic_cache", "response-cache"])
def test_older_plugin_names(alias):
    result = loaded(
        f"routing:\n  decisions:\n    - name: a\n      plugins:\n"
        f"        - type: {alias}\n          configuration: {{}}\n"
    )

    assert result.config.routing.decisions[0].plugins[0].type == "response_cache"
    assert places(result.warnings) == [("routing.decisions[0].plugins[0].type", 5)]
    assert result.warnings[0].severity == "warning"


def test_older_name_of_the_cache_store():
    result = loaded("global:\n  stores:\n    semantic_cache:\n      max_entries: 5\n")

    assert result.config.global_.stores.response_cache.max_entries == 5
    assert places(result.warnings) == [("global.stores.semantic_cache", 3)]


def test_problems_below_a_renamed_key_keep_their_lines():
    found = problems("global:\n  stores:\n    semantic_cache:\n      max_entries: many\n")

    assert places(found) == [("global.stores.response_cache.max_entries", 4)]


def test_both_names_of_the_cache_store():
    found = problems(
        "global:\n  stores:\n    response_cache: {}\n    semantic_cache: {max_entries: many}\n"
    )

    assert [str(p) for p in found] == [
        "router.yaml:4: global.stores.semantic_cache: semantic_cache and response_cache are the"
        " same store; keep response_cache"
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("routing: 5\nproviders: []\nrecipes: {}", id="blocks of the wrong type"),
        pytest.param("global: {router: {model_selection: [elo]}}", id="list of methods"),
        pytest.param("global: {router: {model_selection: {method: [elo]}}}", id="method is a list"),
        pytest.param("routing: {decisions: [5, {plugins: [x, {type: []}]}]}", id="odd rows"),
        pytest.param("routing: {decisions: [{algorithm: {type: [elo]}}]}", id="odd algorithm"),
    ],
)
def test_odd_documents_are_left_to_the_schema(text):
    assert not [p for p in problems(text) if "no longer" in p.message]
