"""What is built of a policy decides, and asks the models that it needs."""

import json

import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import compile_file
from orchestrator.errors import ConfigError, Forbidden, NoRoute
from orchestrator.evaluation import ignore
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.triton import TritonInference
from orchestrator.pipeline import Pipeline
from orchestrator.protocols.chat_completions import error_body
from orchestrator.server.evaluate import evaluate
from orchestrator.telemetry import Telemetry
from orchestrator.types import Request
from tests.app.planes import compiled

RECIPES = """
version: v0.3
routing:
  modelCards: [{name: small}, {name: big}]
  signals:
    keywords: [{name: topic, operator: OR, keywords: [python]}]
  decisions:
    - {name: chosen, rules: {type: keyword, name: topic}, modelRefs: [{model: small}]}
entrypoints:
  - {model_names: [kitchen], recipe: cook}
recipes:
  - name: cook
    routing:
      signals:
        keywords: [{name: topic, operator: OR, keywords: [soup]}]
      decisions:
        - {name: chosen, rules: {type: keyword, name: topic}, modelRefs: [{model: big}]}
"""

UNUSED = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    keywords: [{name: code, operator: OR, keywords: [python]}]
    role_bindings: [{name: staff, role: admin, subjects: [{kind: User, name: ada}]}]
    embeddings: [{name: support, threshold: 0.5, candidates: [help]}]
  decisions:
    - {name: one, rules: {type: %s, name: %s}, modelRefs: [{model: small}]}
"""


async def explained(policy):
    found = compiled(policy)
    inference = FakeInference({"help": [1, 0], "python?": [1, 1]})
    policies = build_policies(found, inference, ignore)
    pipeline = Pipeline(names_of(found.config), policies, None, Telemetry())
    return await evaluate(pipeline, {"text": "python?"})


async def test_eval_of_a_policy_with_signals_that_no_decision_uses():
    answer = await explained(UNUSED % ("keyword", "code"))

    assert answer["routing_decision"] == "one"
    assert answer["signal_errors"] == {}
    assert answer["signal_values"]["embedding:support:best"] == pytest.approx(0.7071, abs=1e-4)
    assert answer["decision_result"]["unmatched_signals"]["authz"] == ["staff", "admin"]


async def test_eval_is_refused_where_a_decision_asks_who_calls():
    with pytest.raises(Forbidden):
        await explained(UNUSED % ("authz", "admin"))


KNOWLEDGE = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    kb: [{name: private, kb: ours, target: {kind: label, value: code}}]
  decisions:
    - {name: d, rules: {type: kb, name: private}, modelRefs: [{model: small}]}
global: {model_catalog: {kbs: [{name: ours, source: {path: bases/ours}, threshold: 0.5}]}}
"""


def test_a_knowledge_base_is_beside_the_policy_or_an_error(tmp_path):
    policy = tmp_path / "router.yaml"
    policy.write_text(KNOWLEDGE)

    with pytest.raises(ConfigError) as refused:
        compile_file(policy)
    folder = tmp_path / "bases" / "ours"
    folder.mkdir(parents=True)
    (folder / "labels.json").write_text('{"labels": {"code": {"exemplars": ["def f():"]}}}')

    (problem,) = refused.value.problems
    assert (problem.file, problem.line, problem.path) == (
        str(policy),
        7,
        "routing.signals.kb[0].kb",
    )
    assert "no file bases/ours/labels.json" in problem.message
    assert build_policies(compile_file(policy), FakeInference(), ignore)["default"].idle == {}


def test_without_a_default_model_the_client_is_not_blamed():
    policy = build_policies(compiled(RECIPES), TritonInference(()), ignore)["default"]

    with pytest.raises(NoRoute, match="providers.defaults.default_model is not set") as caught:
        policy.select(None)

    said = json.loads(error_body(caught.value))["error"]
    assert (caught.value.status, said["type"], said["code"]) == (400, "routing_error", "no_route")


async def test_recipes_with_the_same_names_do_not_meet():
    policies = build_policies(compiled(RECIPES), TritonInference(()), ignore)

    async def decided(recipe, text):
        policy = policies[recipe]
        facts = await policy.evaluation.facts(Request("auto", text))
        verdict = policy.engine.decide(facts)
        return verdict and policy.decisions[verdict.decision].modelRefs[0].model

    assert await decided("default", "soup") is None
    assert await decided("cook", "python") is None
    assert await decided("default", "python") == "small"
    assert await decided("cook", "soup") == "big"
