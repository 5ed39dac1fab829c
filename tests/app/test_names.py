import pytest

from orchestrator.app.names import names_of
from orchestrator.config.schema import Config
from tests.app.planes import planes
from tests.upstream.scripted import answering, backend, plain

CARDS = {"modelCards": [{"name": "small", "loras": [{"name": "small-law"}]}]}
PROVIDED = [{"name": name, "provider_model_id": "x"} for name in ("small", "hidden")]
AUTO = ("vllm-sr/auto", "auto", "MoM")


def named(router=None, entrypoints=(), recipes=(), cards=CARDS):
    return names_of(
        Config.model_validate(
            {
                "global": {"router": router or {}},
                "routing": cards,
                "entrypoints": entrypoints,
                "recipes": recipes,
                "providers": {
                    "models": [
                        {"name": name, "provider_model_id": "x"} for name in ("small", "hidden")
                    ]
                },
            }
        )
    )


@pytest.mark.parametrize(
    ("router", "routed", "default"),
    [
        pytest.param({"auto_model_names": []}, (), "", id="switched off"),
        pytest.param({}, AUTO, "vllm-sr/auto", id="as always"),
        pytest.param({"auto_model_name": "ours"}, (*AUTO[:2], "ours"), AUTO[0], id="renamed"),
        pytest.param({"auto_model_names": ["ours"]}, (*AUTO, "ours"), AUTO[0], id="one more"),
        pytest.param({"auto_model_names": ["auto"]}, AUTO, AUTO[0], id="no name twice"),
    ],
)
def test_automatic_names(router, routed, default):
    names = named(router)

    assert tuple(names.recipes) == routed
    assert set(names.recipes.values()) <= {"default"}
    assert [entry.id for entry in names.listing] == list(routed)
    assert [entry.id for entry in names.listing if entry.default_route] == [default] * bool(routed)
    assert names.default == default


def test_a_models_own_name_is_not_routed():
    cards = {"modelCards": [{"name": "auto"}]}

    names = named(cards=cards)

    assert "auto" in names.models
    assert "auto" not in names.recipes


def test_adapters_and_models_without_a_card_pass_through():
    assert named().models == {"small", "small-law", "hidden"}


def test_an_entrypoint_selects_its_recipe_and_is_listed_once():
    names = named(
        {"auto_model_names": ["ours"], "include_config_models_in_list": True},
        entrypoints=[{"model_names": ["team/a", "auto"], "recipe": "a"}],
        recipes=[{"name": "a", "description": "for a", "routing": {}}],
    )

    assert names.recipes["team/a"] == names.recipes["auto"] == "a"
    assert names.recipes["ours"] == "default"
    ids = [entry.id for entry in names.listing]
    assert ids == ["vllm-sr/auto", "MoM", "ours", "team/a", "auto", "small", "small-law", "hidden"]
    assert [entry.description for entry in names.listing if entry.id == "team/a"] == ["for a"]
    assert not any(entry.selectable for entry in names.listing if entry.id in names.models)


def test_an_entrypoint_answers_where_automatic_names_are_off():
    names = named(
        {"auto_model_names": []},
        entrypoints=[{"model_names": ["team/a"], "recipe": "a"}],
        recipes=[{"name": "a", "routing": {}}],
    )

    assert names.default == "team/a"


POLICY = """
version: v0.3
providers:
  defaults: {{default_model: small}}
  models: [{{name: small, provider_model_id: inner, backend_refs: [{{endpoint: "{0}"}}]}},
           {{name: big, backend_refs: [{{endpoint: "{0}"}}]}}]
routing:
  modelCards: [{{name: small}}, {{name: big}}]
  signals:
    keywords: [{{name: topic, operator: OR, keywords: [python]}}]
  decisions:
    - {{name: chosen, rules: {{type: keyword, name: topic}}, modelRefs: [{{model: small}}]}}
entrypoints:
  - {{model_names: [kitchen], recipe: cook}}
recipes:
  - name: cook
    routing:
      signals:
        keywords: [{{name: topic, operator: OR, keywords: [soup]}}]
      decisions:
        - {{name: chosen, rules: {{type: keyword, name: topic}}, modelRefs: [{{model: big}}]}}
"""


async def test_what_each_name_means_over_http():
    async with backend(answering(plain(b"{}"))) as up, planes(POLICY.format(up.endpoint)) as router:

        async def chosen(text, model):
            async with router.chat(text, model) as answer:
                assert answer.status == 200
                named = answer.headers["x-vsr-selected-model"]
                return answer.headers.get("x-vsr-selected-decision", ""), named

        assert await chosen("soup", "auto") == ("", "small")
        assert await chosen("python", "MoM") == ("chosen", "small")
        assert await chosen("python", "kitchen") == ("", "small")
        assert await chosen("soup", "kitchen") == ("chosen", "big")
        assert (await router.eval("soup", "kitchen"))["recipe"] == "cook"
        assert (await router.eval("soup"))["recipe"] == "default"

        async with router.chat("soup", "nobody") as answer:
            assert answer.status == 404
            assert (await answer.json())["error"]["code"] == "model_not_found"
        sent = len(up.exchanges)

        raw = b' {"messages": [{"role":"user", "content":"h\\u00e9"}], "x":1e2, "model":"big"} '
        async with router.http.post(f"{router.url}/v1/chat/completions", data=raw) as answer:
            assert answer.status == 200
        assert up.exchanges[sent].raw == raw

        async with router.chat("hi", "small") as answer:
            assert answer.status == 200
        assert up.exchanges[-1].body["model"] == "inner"
