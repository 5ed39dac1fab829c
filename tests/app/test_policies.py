import re

import pytest

from orchestrator.app.policies import build_policies, compile_file, needed_models
from orchestrator.errors import ConfigError
from orchestrator.evaluation import ignore
from orchestrator.inference.triton import TritonInference
from orchestrator.types import Request
from tests.app.planes import compiled
from tests.processes import ROOT

EVERYTHING_WRONG = """\
version: v0.3
providers:
  defaults: {default_model: nope}
  models:
    - name: small
      backend_refs: [{endpoint: "127.0.0.1:1", provider: nonsense}]
    - name: big
      backend_refs: [{endpoint: "127.0.0.1:99999"}]
routing:
  modelCards: [{name: small}, {name: big}]
  signals:
    keywords:
      - {name: code, operator: XOR, keywords: [a]}
      - {name: ok, operator: OR, keywords: [b], colour: red}
    keyword: []
    structure:
      - name: s
        feature: {type: exists, source: {type: regex, pattern: "("}}
    language:
      - {name: en}
  projections:
    scores:
      - {name: sum, method: magic, inputs: []}
  decisions:
    - name: one
      rules: {type: language, name: e}
      modelRefs: [{model: smal}]
    - name: two
      rules: {type: keywrd, name: ok}
      modelRefs: [{model: small}]
      algorithm: {type: statik}
entrypoints:
  - {model_names: [x], recipe: nowhere}
"""

PLACES = [
    (3, "providers.defaults.default_model"),
    (6, "providers.models[0].backend_refs[0]"),
    (8, "providers.models[1].backend_refs[0]"),
    (13, "routing.signals.keywords[0].operator"),
    (14, "routing.signals.keywords[1].colour"),
    (15, "routing.signals.keyword"),
    (18, "routing.signals.structure[0].feature.source"),
    (23, "routing.projections.scores[0].method"),
    (23, "routing.projections.scores[0].inputs"),
    (26, "routing.decisions[0].rules.name"),
    (27, "routing.decisions[0].modelRefs[0].model"),
    (29, "routing.decisions[1].rules.type"),
    (31, "routing.decisions[1].algorithm.type"),
    (33, "entrypoints[0].recipe"),
]

POLICY = """
version: v0.3
routing:
  modelCards: [{name: small}]
  signals:
    keywords: [{name: code, operator: OR, keywords: [python]}]
    embeddings: [{name: support, threshold: 0.5, candidates: [help]}]
  projections: %s
  decisions:
    - {name: one, rules: %s, modelRefs: [{model: small}]}
"""

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


def problems(text):
    with pytest.raises(ConfigError) as caught:
        compiled(text)
    return caught.value.problems


def test_every_problem_of_a_file_at_once_in_the_files_order():
    assert [(problem.line, problem.path) for problem in problems(EVERYTHING_WRONG)] == PLACES


@pytest.mark.parametrize(
    ("old", "new", "place", "swallowed"),
    [
        pytest.param(
            "modelRefs: [{model: smal}]",
            "priority: high",
            (27, "routing.decisions[0].priority"),
            {27},
            id="a decision",
        ),
        pytest.param(
            "entrypoints:",
            "global: {router: {strategi: x}}\nentrypoints:",
            (32, "global.router.strategi"),
            {33},  # a line lower now
            id="a setting",
        ),
        pytest.param(
            '"127.0.0.1:99999"',
            '"127.0.0.1:1", weight: heavy',
            (8, "providers.models[1].backend_refs[0].weight"),
            {8},
            id="a backend",
        ),
    ],
)
def test_what_the_schema_refuses_hides_no_problem_elsewhere(old, new, place, swallowed):
    assert old in EVERYTHING_WRONG
    found = {(one.line, one.path) for one in problems(EVERYTHING_WRONG.replace(old, new))}

    assert place in found
    assert {one for one in PLACES if one[0] not in swallowed} <= found


def test_a_rule_that_was_refused_is_not_unknown_too():
    broken = POLICY % ("{}", "{type: keyword, name: code}")
    found = problems(broken.replace("operator: OR", "operator: XOR"))

    assert [problem.path for problem in found] == ["routing.signals.keywords[0].operator"]


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        pytest.param("{endpoint: 'x:1', provider: opnai}", "unknown provider 'opnai'", id="kind"),
        pytest.param("{endpoint: 'x:99999'}", "range 0-65535", id="port beyond all ports"),
        pytest.param("{endpoint: 'x:http'}", "port", id="port that is a word"),
        pytest.param("{endpoint: 'a b:80'}", "names no host", id="a space"),
        pytest.param("{base_url: 'http://'}", "names no host", id="no host"),
        pytest.param("{endpoint: '[::1'}", "Invalid IPv6", id="half an address"),
    ],
)
def test_a_backend_that_nobody_can_reach(ref, said):
    (problem,) = problems(
        f"""
        version: v0.3
        providers:
          models: [{{name: small, backend_refs: [{ref}]}}]
        routing:
          modelCards: [{{name: small}}]
        """
    )

    assert said in problem.message
    assert problem.path == "providers.models[0].backend_refs[0]"
    assert problem.line == 4


WEIGHED = """
    scores:
      - name: weighed
        method: weighted_sum
        inputs: [{type: embedding, name: support, weight: 1.0, value_source: confidence}]
    mappings:
      - name: mapped
        source: weighed
        method: threshold_bands
        outputs: [{name: high, gte: 0.5}]
"""


@pytest.mark.parametrize(
    ("projections", "rules", "models"),
    [
        pytest.param("{}", "{type: keyword, name: code}", (), id="declared, not used"),
        pytest.param(WEIGHED, "{type: keyword, name: code}", (), id="in an unused projection"),
        pytest.param("{}", "{type: embedding, name: support}", ("text_embedding",), id="a leaf"),
        pytest.param(
            "{}",
            "{operator: NOT, conditions: [{type: embedding, name: support}]}",
            ("text_embedding",),
            id="beneath NOT",
        ),
        pytest.param(
            WEIGHED, "{type: projection, name: high}", ("text_embedding",), id="through projections"
        ),
    ],
)
def test_models_that_decisions_depend_on(projections, rules, models):
    assert needed_models(compiled(POLICY % (projections, rules))) == models


def test_what_is_accepted_and_not_run_is_a_warning_with_its_line():
    found = compiled(
        """\
        version: v0.3
        global:
          router: {clear_route_cache: true}
        routing:
          modelCards: [{name: small}]
          signals:
            pii: [{name: secrets, threshold: 0.5}]
          decisions:
            - {name: all, modelRefs: [{model: small}]}
        """
    ).warnings

    assert [(one.line, one.severity) for one in found] == [(3, "warning"), (7, "warning")]
    assert "not used" in found[0].message
    assert "not run" in found[1].message


async def test_recipes_with_the_same_names_do_not_meet():
    policies = build_policies(compiled(RECIPES), TritonInference(()), ignore)

    async def decided(recipe, text):
        policy = policies[recipe]
        facts = await policy.evaluation.facts(Request("auto", text=text, window=text))
        verdict = policy.engine.decide(facts)
        return verdict and policy.decisions[verdict.decision].modelRefs[0].model

    assert await decided("default", "soup") is None
    assert await decided("cook", "python") is None
    assert await decided("default", "python") == "small"
    assert await decided("cook", "soup") == "big"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"\xff\xfe\x00", "not UTF-8", id="not text"),
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"- a list", "not a mapping", id="a list"),
        pytest.param(b"a: [1\n", "not valid YAML", id="not YAML"),
    ],
)
def test_a_file_that_is_no_policy(tmp_path, content, said):
    path = tmp_path / "policy.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=said) as caught:
        compile_file(path)

    assert [problem.file for problem in caught.value.problems] == [str(path)]


def test_the_demo_policy_and_that_of_the_readme_have_no_problem():
    readme = (ROOT / "README.md").read_text()
    (policy,) = re.findall(r"```yaml\n(version: v0.3\n.*?)```", readme, re.DOTALL)

    assert compiled(policy).warnings == ()
    assert compile_file(ROOT / "configs/router.yaml").warnings == ()
