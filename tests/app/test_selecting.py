"""A policy's selectors, from the request to the model that answers."""

import asyncio

import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import needed_models
from orchestrator.app.running import poll_of, running
from orchestrator.choosing.catalogue import catalogue, qualities
from orchestrator.errors import ModelUntrusted, NoCandidate
from orchestrator.evaluation import ignore
from orchestrator.inference.fake import FakeInference
from orchestrator.pipeline import Pipeline
from orchestrator.protocols.chat_completions import parse
from orchestrator.server.evaluate import evaluate
from orchestrator.standing import Percentiles, Standing
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.fake import FakeUpstream
from tests.app.planes import compiled
from tests.selection.artefacts import KMEANS, saved
from tests.upstream.scripted import answering, backend, plain

POLICY = """
version: v0.3
providers:
  defaults: {default_model: poet}
  models:
    - {name: coder, pricing: {prompt_per_1m: 2}}
    - {name: poet, pricing: {prompt_per_1m: 1}}
routing:
  modelCards:
    - {name: coder, description: code, quality_score: 0.9}
    - {name: poet, description: poems, quality_score: 0.5}
  decisions:
    - name: d
      modelRefs: [{model: poet}, {model: coder}]
      algorithm: %s
%s
"""
VECTORS = {"code": [1, 0], "poems": [0, 1], "python?": [4, 3], "rain": [3, 4]}
DC = "{type: router_dc, router_dc: {temperature: 1, min_similarity: 0.2}}"


class Made:
    def __init__(self, algorithm, rest="", inference=None, policy=POLICY, between=lambda: None):
        self.compiled = compiled(policy % (algorithm, rest))
        between()  # the check and the building
        config = self.compiled.config
        self.inference = inference or FakeInference(VECTORS)
        self.standing = Standing(qualities(catalogue(config)))
        policies = build_policies(self.compiled, self.inference, ignore)
        self.upstream = FakeUpstream()
        poll = poll_of(config, policies, self.inference, self.standing, self.upstream)
        self.pipeline = Pipeline(names_of(config), policies, self.upstream, Telemetry(), poll)

    async def chosen(self, text, **headers):
        body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        route = await self.pipeline.route(parse(body, named))
        return route.plan.chosen.name


async def test_each_request_is_chosen_for_by_itself():
    made = Made(DC)

    assert [await made.chosen(text) for text in ("python?", "rain")] == ["coder", "poet"]
    assert needed_models(made.compiled) == ("text_embedding",)


async def test_the_explanation_says_why():
    answer = await evaluate(Made(DC).pipeline, {"text": "python?"})

    told = {key: value for key, value in answer.items() if key.startswith("select")}
    scores = told.pop("selection_scores")
    assert told == {
        "selected_model": "coder",
        "selection_status": "selected",
        "selection_method": "router_dc",
        "selection_reason": "closest description, cosine 0.800",
        "selection_confidence": pytest.approx(0.8),
    }
    assert [one["model"] for one in scores] == ["poet", "coder"]
    assert sum(one["score"] for one in scores) == pytest.approx(1)


async def test_without_a_model_the_first_candidate():
    made = Made(DC, inference=FakeInference(VECTORS, ModelUntrusted("differs")))

    answer = await evaluate(made.pipeline, {"text": "python?"})

    assert (answer["selected_model"], answer["selection_status"]) == ("poet", "fallback")
    assert "model_untrusted" in answer["selection_reason"]
    assert answer["signal_errors"] == {}


async def test_outcomes_count_for_their_decision():
    only = "{router_dc_weight: 0, automix_weight: 0, cost_weight: 0}"
    made = Made(f"{{type: hybrid, hybrid: {only}}}")
    before = await made.chosen("python?")
    for _ in range(40):
        made.standing.judged("d", winner="poet", loser="coder")

    assert (before, await made.chosen("python?")) == ("coder", "poet")


async def test_what_is_observed_decides():
    made = Made("{type: latency_aware, latency_aware: {tpot_percentile: 50}}")
    before = await made.chosen("python?")
    for seconds in (0.02, 0.02, 0.02):
        made.standing.per_token("coder", seconds)
        made.standing.per_token("poet", 2 * seconds)

    assert (before, await made.chosen("python?")) == ("poet", "coder")


async def test_a_session_keeps_its_model():
    refs = "{model: poet, weight: 1}, {model: coder, weight: 1}"
    made = Made("{type: static}", policy=POLICY.replace("{model: poet}, {model: coder}", refs))

    found = [
        {await made.chosen(text, x_session_id=f"s{n}") for text in ("python?", "rain", "more")}
        for n in range(20)
    ]

    assert {len(models) for models in found} == {1}
    assert set().union(*found) == {"poet", "coder"}


@pytest.mark.parametrize("later", ["", "damaged"], ids=["empty afterwards", "damaged afterwards"])
async def test_an_artefact_beside_the_policy(tmp_path, later):
    """It is read once, when it is checked."""
    saved(tmp_path, {**KMEANS, "centroids": [[1, 0], [0, 1]], "cluster_models": ["coder", "poet"]})
    rest = f"global: {{router: {{model_selection: {{ml: {{models_path: {tmp_path}}}}}}}}}"
    artefact = tmp_path / "kmeans_model.json"
    made = Made("{type: kmeans}", rest, between=lambda: artefact.write_text(later))
    made.inference.classified = {text: {"domain": {"other": 1.0}} for text in VECTORS}

    assert [await made.chosen(text) for text in ("python?", "rain")] == ["coder", "poet"]
    assert needed_models(made.compiled) == ("text_embedding", "text_signals")


async def test_nobody_within_the_limits():
    slo = "{slo: {max_cost_per_1m: 0.5}, on_no_candidates: fail}"
    made = Made(f"{{type: multi_factor, multi_factor: {slo}}}")
    body = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
    request = parse(body, {})
    route = await made.pipeline.route(request)

    with pytest.raises(NoCandidate, match="every candidate breaks the slo"):
        made.pipeline.forward(request, route)

    answer = await evaluate(made.pipeline, {"text": "hi"})
    assert (answer["selection_status"], answer["selected_model"]) == ("failed", "")
    assert made.upstream.calls == []


async def test_interleaved_requests_do_not_mix():
    made = Made(DC)
    texts = ["python?", "rain"] * 100

    found = await asyncio.gather(*(made.chosen(text) for text in texts))

    assert found == ["coder", "poet"] * 100


async def test_a_running_router_observes_its_backends():
    answer = b'{"usage": {"completion_tokens": 5}}'
    async with backend(answering(plain(answer))) as served:
        rows = f"[{{name: q, backend_refs: [{{endpoint: '{served.endpoint}'}}]}}]"
        policy = compiled(f"""
            providers: {{defaults: {{default_model: q}}, models: {rows}}}
            routing: {{modelCards: [{{name: q}}]}}
        """)
        async with running(policy, forwards=True) as router:
            body = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
            request = parse(body, {})
            for _ in range(3):
                route = await router.pipeline.route(request)
                async with router.pipeline.forward(request, route) as opened:
                    during = router.standing.records(["q"])["q"].inflight
                    assert b"".join([piece async for piece in opened.chunks]) == answer

            found = router.standing.records(["q"], asked=Percentiles(tpot=50))["q"]

    assert (during, found.inflight) == (1, 0)
    assert found.tpot is not None
