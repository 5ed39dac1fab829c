import pytest

from orchestrator.config.check import duplicates, model_names, references
from tests.config.documents import MINIMAL, loaded


def said(text, **known):
    """Findings of a document that the schema accepts, as `path line: message (hint)`."""
    result = loaded(text)
    check = result.check()
    check.add(references(result.config, **known))
    return [str(problem).removeprefix("router.yaml:") for problem in check.problems]


def test_a_good_document():
    assert said(MINIMAL) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            "routing:\n  modelCards:\n    - name: a\n    - name: a\n",
            "4: routing.modelCards[1].name: model 'a' is declared twice",
            id="card twice",
        ),
        pytest.param(
            "routing:\n  modelCards:\n    - name: a\n      loras:\n        - name: l\n"
            "        - name: l\n",
            "6: routing.modelCards[0].loras[1].name: adapter 'l' is declared twice",
            id="adapter twice",
        ),
        pytest.param(
            MINIMAL + "    - name: smal\n",
            "12: warning: routing.modelCards[1].name: the model 'smal' has no entry in"
            " providers.models: it cannot be called (did you mean 'small'?)",
            id="card without provider",
        ),
        pytest.param(
            MINIMAL.replace("routing:", "    - {name: smal, api_format: openai}\nrouting:"),
            "9: providers.models[1].name: unknown model card 'smal' (did you mean 'small'?)",
            id="provider without card",
        ),
        pytest.param(
            "routing: {}\nproviders:\n  models:\n    - {name: m, api_format: openai}\n"
            "    - {name: m, api_format: openai}\n",
            "5: providers.models[1].name: model 'm' is declared twice",
            id="provider twice",
        ),
        pytest.param(
            "routing: {}\nproviders:\n  defaults: {reasoning_families: {qwen3: {type:"
            " reasoning_effort, parameter: p}}}\n  models:\n    - name: m\n"
            "      reasoning_family: qwen\n",
            "6: providers.models[0].reasoning_family: unknown reasoning family 'qwen'"
            " (did you mean 'qwen3'?)",
            id="reasoning family",
        ),
        pytest.param(
            MINIMAL.replace("default_model: small", "default_model: smol"),
            "4: providers.defaults.default_model: unknown model 'smol' (did you mean 'small'?)",
            id="default model",
        ),
        pytest.param(
            MINIMAL + "  decisions:\n    - name: d\n      modelRefs:\n        - model: large\n",
            "15: routing.decisions[0].modelRefs[0].model: unknown model 'large' (known: small)",
            id="model of a decision",
        ),
        pytest.param(
            "routing:\n  modelCards: [{name: m, loras: [{name: poet}]}]\n  decisions:\n"
            "    - name: d\n      modelRefs:\n        - model: m\n          lora_name: poem\n",
            "7: routing.decisions[0].modelRefs[0].lora_name: unknown adapter 'poem'"
            " (did you mean 'poet'?)",
            id="adapter of a decision",
        ),
        pytest.param(
            "routing: {}\nproviders: {models: [{name: m, api_format: openai}]}\nrecipes:\n"
            "  - name: r\n    routing: {decisions: [{name: d, modelRefs: [{model: n}]}]}\n",
            "5: recipes[0].routing.decisions[0].modelRefs[0].model: unknown model 'n' (known: m)",
            id="model of a recipe, without cards",
        ),
        pytest.param(
            "routing:\n  decisions:\n    - name: d\n    - name: d\n",
            "4: routing.decisions[1].name: decision 'd' is declared twice",
            id="decision twice",
        ),
        pytest.param(
            "routing:\n  decisions:\n    - name: d\n      plugins:\n"
            "        - {type: response_cache, configuration: {}}\n"
            "        - {type: response_cache, configuration: {}}\n",
            "6: routing.decisions[0].plugins[1].type: plugin 'response_cache' is declared twice",
            id="plugin twice",
        ),
        pytest.param(
            "routing:\n  decisions:\n    - name: d\n      plugins:\n"
            "        - {type: systm_prompt, configuration: {}}\n",
            "5: routing.decisions[0].plugins[0].type: unknown plugin 'systm_prompt'"
            " (did you mean 'system_prompt'?)",
            id="plugin of no kind",
        ),
        pytest.param(
            "routing:\n  modelCards: [{name: mine}]\n  decisions:\n    - name: d\n"
            "      candidateIterations:\n        - {variable: v, source: models, models: [\n"
            "          {model: mime}]}\n",
            "7: routing.decisions[0].candidateIterations[0].models[0].model: unknown model 'mime'"
            " (did you mean 'mine'?)",
            id="model of a loop",
        ),
        pytest.param(
            "routing: {}\nrecipes:\n  - name: r\n  - name: r\n",
            "4: recipes[1].name: recipe 'r' is declared twice",
            id="recipe twice",
        ),
        pytest.param(
            "routing: {decisions: [{name: d}]}\nrecipes:\n  - name: default\n",
            "3: recipes[0].name: the recipe 'default' is the top-level routing block, which is"
            " not empty (rename the recipe)",
            id="two defaults",
        ),
        pytest.param(
            "routing: {}\nrecipes: [{name: privacy}]\nentrypoints:\n  - model_names: [x]\n"
            "    recipe: privac\n",
            "5: entrypoints[0].recipe: unknown recipe 'privac' (did you mean 'privacy'?)",
            id="recipe of an entrypoint",
        ),
        pytest.param(
            "routing: {}\nentrypoints:\n  - {model_names: [x], recipe: default}\n"
            "  - {model_names: [y, x], recipe: default}\n",
            "4: entrypoints[1].model_names[1]: 'x' is already the name of an entrypoint",
            id="entrypoint twice",
        ),
        pytest.param(
            "routing: {modelCards: [{name: m, loras: [{name: l}]}]}\nentrypoints:\n"
            "  - {model_names: [m], recipe: default}\n",
            "3: entrypoints[0].model_names[0]: 'm' is already a model",
            id="entrypoint named like a model",
        ),
        pytest.param(
            "routing: {}\nproviders: {models: [{name: m, api_format: openai}]}\nentrypoints:\n"
            "  - {model_names: [m], recipe: default}\n",
            "4: entrypoints[0].model_names[0]: 'm' is already a model",
            id="entrypoint named like a model without a card",
        ),
        pytest.param(
            "routing: {modelCards: [{name: m, loras: [{name: l}]}]}\nentrypoints:\n"
            "  - {model_names: [l], recipe: default}\n",
            "3: entrypoints[0].model_names[0]: 'l' is already an adapter",
            id="entrypoint named like an adapter",
        ),
        pytest.param(
            "routing: {}\nentrypoints:\n  - {model_names: [MoM], recipe: default}\n",
            "3: entrypoints[0].model_names[0]: 'MoM' is already a name of automatic routing",
            id="entrypoint named auto",
        ),
        pytest.param(
            "routing: {}\nentrypoints:\n  - {model_names: [vllm-sr/flow], recipe: default}\n",
            "3: entrypoints[0].model_names[0]: 'vllm-sr/flow' is already a name of a multi-call"
            " algorithm",
            id="entrypoint named like a looper",
        ),
    ],
)
def test_broken_references(text, problem):
    assert said(text) == [problem]


def test_an_entrypoint_may_have_a_name_that_only_we_add_to_a_list_of_automatic_names():
    text = (
        "routing: {}\nglobal: {router: {auto_model_names: [ours]}}\nentrypoints:\n"
        "  - {model_names: [auto], recipe: default}\n"
    )

    assert said(text) == []
    assert len(said(text.replace("[auto]", "[ours]"))) == 1


@pytest.mark.parametrize("kind", ["semantic-cache", "semantic_cache", "response-cache"])
def test_older_names_of_a_plugin_are_known(kind):
    found = said(
        f"routing: {{decisions: [{{name: d, plugins: [{{type: {kind}, configuration: {{}}}}]}}]}}"
    )

    assert ["older name" in line for line in found] == [True]


def test_default_model_may_be_an_adapter():
    text = MINIMAL.replace("default_model: small", "default_model: poet")

    assert said(text + "      loras: [{name: poet}]\n") == []


def test_the_same_decision_in_two_recipes():
    assert (
        said(
            "routing: {decisions: [{name: d}]}\n"
            "recipes: [{name: r, routing: {decisions:"
            " [{name: d}]}}]"
        )
        == []
    )


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost"])
def test_management_plane_on_this_machine(address):
    assert said(f"global: {{services: {{management_api: {{bind_address: '{address}'}}}}}}") == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.5"])
def test_management_plane_may_not_be_open_to_the_network(address):
    text = (
        f"global: {{services: {{management_api: {{bind_address: '{address}', remote_exposure: true,"
        " auth: {mode: bearer, tokens: [{env: T, role: admin}]}}}}"
    )

    assert f"the management API on {address} would be open to the network" in said(text)[0]
    assert said(text, internal_listener=True) == []
    assert said(text, checks_tokens=True) == []


def test_management_plane_needs_exposure_to_be_said():
    text = "global: {services: {management_api: {bind_address: '0.0.0.0'}}}"

    assert said(text, checks_tokens=True) == [
        "1: global.services.management_api.bind_address: the management API on 0.0.0.0 would be"
        " open to the network (set remote_exposure with bearer tokens, or set"
        " VLLM_SR_MANAGEMENT_INTERNAL_LISTENER=true where only an internal network reaches it)"
    ]


def test_thresholds_of_another_encoder():
    text = (
        "global: {model_catalog: {embeddings: {semantic: {embedding_config: {model_type: qwen3}}}}}"
    )

    assert said(text, encoders=("qwen3",)) == []
    assert said(text) == [
        "1: warning: global.model_catalog.embeddings.semantic.embedding_config.model_type: this"
        " installation does not run the encoder 'qwen3'; thresholds that were set for it mean"
        " something else here (compare scores with `tsr explain` and set the thresholds anew)"
    ]


def test_duplicates_name_the_later_place():
    found = list(duplicates(["a", "b", "a", "a"], "rule", ("s",)))

    assert [finding.path for finding in found] == [("s", 2, "name"), ("s", 3, "name")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("routing: {}", set(), id="none"),
        pytest.param(
            "routing: {}\nproviders: {models: [{name: p, api_format: openai}]}", {"p"}, id="no card"
        ),
        pytest.param(
            "routing: {modelCards: [{name: c}]}\n"
            "providers: {models: [{name: p, api_format: openai}]}",
            {"c"},
            id="cards",
        ),
    ],
)
def test_model_names(text, names):
    assert model_names(loaded(text).config) == names


def test_an_adapter_that_only_a_loop_names():
    text = """\
routing:
  modelCards: [{name: mine}]
  decisions:
    - name: d
      candidateIterations:
        - {variable: v, source: models, models: [{model: mine, lora_name: poet}]}
"""
    config = loaded(text).config

    [finding] = references(config)

    assert (finding.severity, finding.message) == ("warning", "unknown adapter 'poet'")
