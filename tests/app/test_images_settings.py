"""What the settings of pictures and of models do, and mistakes in them."""

import asyncio

import pytest

from orchestrator.app.policies import needed_models
from orchestrator.app.running import running
from orchestrator.errors import ConfigError
from orchestrator.server.evaluate import evaluate
from tests.app.pictured import LINK, PASSPORT, body, pipeline, policy, request, seeing
from tests.app.planes import compiled


@pytest.fixture
def inference():
    return seeing()


async def test_fetching_is_waited_for_beyond_the_deadline(inference):
    late = asyncio.Event()

    async def fetch(url):
        assert url == LINK
        asyncio.get_running_loop().call_later(0.6, late.set)
        await late.wait()
        return PASSPORT

    allow = "{fetch: {enabled: true, allow: [pictures.example.org]}}"
    chain = pipeline(inference, allow, 0.5, fetch)

    route = await chain.route(request("please look at my documents", LINK))

    assert route.verdict.decision == "papers_shown"


def test_the_models_are_asked_for_only_where_a_rule_looks_at_pictures():
    assert needed_models(policy()) == ("image_signals", "image_text_embedding", "text_embedding")


@pytest.mark.parametrize(
    ("rule", "warned"),
    [
        pytest.param(
            "{name: a, threshold: 1, candidates: [b], query_modality: image}", False, id="image"
        ),
        pytest.param("{name: a, threshold: 1, candidates: [b]}", True, id="texts alone"),
    ],
)
def test_a_dimension_that_nothing_reads_is_said(rule, warned):
    made = compiled(f"""
        version: v0.3
        providers: {{defaults: {{default_model: small}}}}
        global:
          model_catalog:
            embeddings: {{semantic: {{embedding_config: {{target_dimension: 64}}}}}}
        routing: {{modelCards: [{{name: small}}], signals: {{embeddings: [{rule}]}}, decisions: []}}
    """)

    said = [one for one in made.warnings if one.path.endswith("target_dimension")]
    assert [one.message.startswith("not used") for one in said] == [True] * warned


def test_a_mistake_in_the_settings_names_its_place():
    with pytest.raises(ConfigError) as failure:
        policy("{fetch: {enabled: true}, wich: any}")

    assert {one.path for one in failure.value.problems} == {
        "global.images.fetch",
        "global.images.wich",
    }


async def test_a_router_that_fetches_starts_and_ends():
    made = compiled("""
        version: v0.3
        providers: {defaults: {default_model: small}}
        global: {images: {fetch: {enabled: true, allow: ["*.example.org"]}}}
        routing: {modelCards: [{name: small}], decisions: []}
    """)

    async with running(made) as router:
        answer = await evaluate(router.pipeline, body("hello", LINK))

    assert answer["answering_model"] == "small"
