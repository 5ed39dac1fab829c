from orchestrator.app.running import running
from orchestrator.cli.doubt import doubting
from orchestrator.server.evaluate import evaluate
from orchestrator.standing import Standing
from tests.app.planes import compiled

POLICY = """\
version: v0.3
providers:
  defaults: {default_model: small}
  models:
    - {name: small, backend_refs: [{endpoint: "127.0.0.1:1"}]}
    - {name: large, backend_refs: [{endpoint: "127.0.0.1:1"}]}
routing:
  modelCards: [{name: small}, {name: large}]
  signals:
    keywords: [{name: code, operator: OR, keywords: [python]}]
    modality: [{name: DIFFUSION}]
  decisions:
    - name: code
      rules:
        operator: AND
        conditions: [{type: keyword, name: code}, {type: modality, name: DIFFUSION}]
      modelRefs: [{model: small}]
    - name: any
      rules: {type: keyword, name: code}
      algorithm: {type: latency_aware, latency_aware: {tpot_percentile: 50}}
      modelRefs: [{model: small}, {model: large}]
"""


def _states(answer):
    return {one["decision_name"]: one["root_trace"]["state"] for one in answer["eval_trace"]}


async def test_only_what_is_not_run_differs_and_selectors_are_told_the_same():
    standing = Standing()
    for _ in range(3):  # what is known of both speaks for the second
        standing.per_token("small", 0.9)
        standing.per_token("large", 0.1)
    async with running(compiled(POLICY), standing=standing) as router:
        doubt = await doubting(router)
        usual, unsure = [
            await evaluate(pipeline, {"text": "python"}, trace=True)
            for pipeline in (router.pipeline, doubt)
        ]

    assert _states(usual) == {"code": "no_match", "any": "match"}
    assert _states(unsure) == {"code": "unknown", "any": "match"}
    assert usual["routing_decision"] == unsure["routing_decision"] == "any"
    assert usual["selected_model"] == "large"
    for key in ("selected_model", "selection_status", "selection_method", "selection_reason"):
        assert usual[key] == unsure[key], key
