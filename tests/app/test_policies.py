"""A policy file is compiled, or all that is wrong with it is told."""

import re

import pytest

from orchestrator.app.policies import compile_file, needed_models
from orchestrator.errors import ConfigError
from tests.app.findings import problems
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

ONLY_WORDS = """
version: v0.3
routing:
  modelCards: [{name: small}]
  signals:
    keywords: [{name: code, operator: OR, keywords: [python]}]
    embeddings: []
    modality: [{name: AR}]
  decisions:
    - {name: one, rules: {type: keyword, name: code}, modelRefs: [{model: small}]}
"""

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


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        pytest.param("{type: keywrd}", "did you mean 'keyword'?", id="no name"),
        pytest.param("{type: keywords, name: c, label: x}", "did you mean 'keyword'?", id="label"),
        pytest.param(
            "{type: not, conditions: [{type: keyword, name: code}]}",
            "write operator: NOT",
            id="an operator",
        ),
    ],
)
@pytest.mark.parametrize("tree", ["%s", "{operator: OR, conditions: [%s]}"], ids=["root", "inner"])
def test_a_type_that_is_no_family_is_named_whatever_else_is_wrong_there(tree, condition, hint):
    found = problems(POLICY % ("{}", tree % condition))
    (named,) = [one for one in found if one.message.startswith("unknown condition type")]

    assert named.path.startswith("routing.decisions[0].rules")
    assert (named.path.endswith(".type"), named.hint, named.line) == (True, hint, found[0].line)


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


@pytest.mark.parametrize(
    ("policy", "models"),
    [
        pytest.param(ONLY_WORDS, (), id="no rule, or none that is run"),
        pytest.param(
            ONLY_WORDS.replace("modality: [{name: AR}]", "pii: [{name: secret}]"),
            ("text_signals",),
            id="the text classifier",
        ),
        pytest.param(
            POLICY % ("{}", "{type: keyword, name: code}"), ("text_embedding",), id="declared"
        ),
        pytest.param(
            POLICY % ("{}", "{type: embedding, name: support}"), ("text_embedding",), id="used"
        ),
    ],
)
def test_models_that_rules_ask(policy, models):
    assert needed_models(compiled(policy)) == models


@pytest.mark.parametrize(
    ("settings", "path", "hint"),
    [
        pytest.param(
            "router: {signal_deadlines: {keywords: 1s}}",
            "router.signal_deadlines.keywords",
            "did you mean 'keyword'?",
            id="signal family",
        ),
        pytest.param(
            "services: {management_api: {auth: {mode: bearer, tokens: [{env: T, role: amdin}]}}}",
            "services.management_api.auth.tokens[0].role",
            "did you mean 'admin'?",
            id="role of a token",
        ),
        pytest.param(
            "services: {management_api: {auth: {roles: {ops: [config.read]},"
            " tokens: [{env: T, role: op}]}}}",
            "services.management_api.auth.tokens[0].role",
            "did you mean 'ops'?",
            id="role of the file",
        ),
    ],
)
def test_names_in_settings_that_are_nothing(settings, path, hint):
    text = "version: v0.3\nrouting: {modelCards: [{name: small}]}\n"
    (problem,) = problems(f"{text}global: {{{settings}}}\n")

    assert (problem.path, problem.hint) == (f"global.{path}", hint)


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
