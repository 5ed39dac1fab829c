import json
import re

import pytest

from orchestrator.app.names import names_of
from orchestrator.app.policies import build_policies, compile_file, needed_models
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


def test_what_is_accepted_and_not_run_is_a_warning_with_its_line():
    found = compiled(
        """\
        version: v0.3
        global:
          router: {clear_route_cache: true}
        routing:
          modelCards: [{name: small}]
          signals:
            modality: [{name: AR}]
          decisions:
            - {name: all, modelRefs: [{model: small}]}
        """
    ).warnings

    assert [(one.line, one.severity) for one in found] == [(3, "warning")] + [(7, "warning")] * 2
    assert "not used" in found[0].message
    assert "no decision" in found[1].message
    assert "not run" in found[2].message


COMPOSED = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    keywords: [{name: code, operator: OR, keywords: [python]}]
    pii: [{name: secret}]
    complexity:
      - {name: level, hard: {candidates: [a]}, easy: {candidates: [b]}, composer: %s}
  decisions:
    - name: d
      rules: {operator: OR, conditions: [{type: complexity, name: "level:hard"},
              {type: keyword, name: code}, {type: pii, name: secret}]}
      modelRefs: [{model: small}]
"""


@pytest.mark.parametrize(
    ("composer", "place", "hint"),
    [
        pytest.param("{type: keyword, name: cod}", ".name", "did you mean 'code'?", id="name"),
        pytest.param("{type: keywrd, name: code}", ".type", "did you mean 'keyword'?", id="type"),
        pytest.param("{type: pii, name: secret}", ".type", None, id="no family to compose"),
        pytest.param("{type: projection, name: x}", ".type", None, id="projections come later"),
        pytest.param("{type: complexity, name: 'level:easy'}", ".type", None, id="itself"),
        pytest.param(
            "{operator: NOT, conditions: [{type: context, name: x}]}",
            ".conditions[0].name",
            None,
            id="a family without rules",
        ),
    ],
)
def test_a_composer_that_names_nothing(composer, place, hint):
    (problem,) = problems(COMPOSED % composer)

    assert problem.path == f"routing.signals.complexity[0].composer{place}"
    assert hint is None or problem.hint == hint


def test_a_composer_may_name_rules_of_other_families():
    assert compiled(COMPOSED % "{type: keyword, name: code}").config


def test_what_a_composer_reads_is_used():
    found = warnings(
        COMPOSED.replace("{type: keyword, name: code}, {type: pii", "{type: pii")
        % "{type: keyword, name: code}"
    )

    assert not [said for _, said in found if "no decision" in said]


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        pytest.param("say hello", "default", id="the composer does not hold"),
        pytest.param("python, please", "hard", id="it holds"),
    ],
)
async def test_a_composer_decides_whether_a_rule_counts(text, decision):
    """The family that only the composer names is read too."""
    policy = """
    version: v0.3
    providers: {defaults: {default_model: small}}
    routing:
      modelCards: [{name: small}]
      signals:
        keywords: [{name: code, operator: OR, keywords: [python]}]
        complexity:
          - name: level
            hard: {candidates: [prove it]}
            easy: {candidates: [say it]}
            composer: {type: keyword, name: code}
      decisions:
        - {name: hard, priority: 1, rules: {type: complexity, name: "level:hard"},
           modelRefs: [{model: small}]}
        - {name: default, modelRefs: [{model: small}]}
    """
    east = [1.0, 0.0]
    inference = FakeInference({"prove it": east, "say it": [0.0, 1.0], text: east})
    policies = build_policies(compiled(policy), inference, ignore)
    pipeline = Pipeline(names_of(compiled(policy).config), policies, None, Telemetry())

    answer = await evaluate(pipeline, {"text": text})

    assert answer["decision_result"]["decision_name"] == decision


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


def test_a_composer_says_nothing_of_a_rule_that_was_refused():
    broken = (COMPOSED % "{type: keyword, name: code}").replace("operator: OR, keyw", "keyw")

    assert [one.path for one in problems(broken)] == ["routing.signals.keywords[0]"]


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


def warnings(text):
    return [(one.path, one.message) for one in compiled(text).warnings]


GUARDED = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    keywords:
      - {name: code, operator: OR, keywords: [python]}
      - {name: spare, operator: OR, keywords: [java]}
    jailbreak: [{name: attack}, {name: words, method: patterns, jailbreak_patterns: [x]}]
    domains: [{name: law}]
  projections:
    scores:
      - {name: sum, method: weighted_sum, inputs: [{type: jailbreak, name: attack, weight: 1}]}
    mappings:
      - {name: band, source: sum, method: threshold_bands, outputs: [{name: high, gte: 0.5}]}
  decisions:
    - name: runs
      priority: 3
      rules: {type: keyword, name: code}
      modelRefs: [{model: small}]
    - name: guarded
      priority: 2
      rules: {operator: AND, conditions: [{type: domain, name: law},
              {type: projection, name: high}]}
      modelRefs: [{model: small}]
    - name: also_runs
      rules: {type: jailbreak, name: words}
      modelRefs: [{model: small}]
"""
OFF = (
    "model_catalog: {modules: {prompt_guard: {enabled: false},"
    " classifier: {domain: {enabled: false}}}}"
)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param("no_match", "find nothing", id="as the reference"),
        pytest.param("unknown", "are unknown", id="unknown"),
    ],
)
def test_a_decision_says_what_it_depends_on_that_does_not_run_guards_first(setting, said):
    text = GUARDED
    text += f"global: {{router: {{not_run_signals: {setting}}}, {OFF}}}\n"
    found = [one for one in warnings(text) if one[0].startswith("routing.decisions")]

    assert found == [
        (
            "routing.decisions[1]",
            f"'guarded' depends on rules of jailbreak, domain that are not run: these {said}",
        )
    ]


def test_a_rule_that_nothing_uses():
    found = [one for one in warnings(GUARDED) if "uses" in one[1]]

    assert found == [
        (
            "routing.signals.keywords[1].name",
            "no decision and no projection uses the keyword rule 'spare'",
        )
    ]


def test_roles_and_members_of_a_partition_count_as_used():
    text = """
    version: v0.3
    providers: {defaults: {default_model: small}}
    routing:
      modelCards: [{name: small}]
      signals:
        embeddings:
          - {name: one, threshold: 0.5, candidates: [a]}
          - {name: two, threshold: 0.5, candidates: [b]}
        role_bindings:
          - {name: staff, role: admin, subjects: [{kind: User, name: u}]}
      projections:
        partitions: [{name: p, semantics: exclusive, members: [one, two], default: two}]
      decisions:
        - name: d
          rules: {operator: AND, conditions: [{type: embedding, name: one},
                  {type: authz, name: admin}]}
          modelRefs: [{model: small}]
    """
    assert warnings(text) == []


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        pytest.param("{endpoint: vllm}", "no port is given, so 80 is used", id="plain host"),
        pytest.param(
            "{endpoint: '[::1]', protocol: http}", "no port is given, so 80 is used", id="IPv6"
        ),
        pytest.param(
            "{endpoint: 'x:1', api_key_env: TSR_UNSET}",
            "environment variable TSR_UNSET is not set",
            id="key",
        ),
        pytest.param(
            "{endpoint: 'x:1', extra_headers: {h: '${TSR_UNSET}'}}",
            "environment variable TSR_UNSET is not set",
            id="header",
        ),
        pytest.param("{endpoint: 'vllm:8000'}", None, id="port"),
        pytest.param("{endpoint: vllm, protocol: https}", None, id="https has a port"),
        pytest.param("{base_url: 'http://vllm/v1'}", None, id="URL"),
        pytest.param("{endpoint: 'x:1', api_key_env: TSR_SET}", None, id="key that is set"),
    ],
)
def test_a_backend_that_may_not_be_meant_so(monkeypatch, ref, said):
    monkeypatch.setenv("TSR_SET", "secret")
    monkeypatch.delenv("TSR_UNSET", raising=False)
    text = f"""
    version: v0.3
    providers: {{models: [{{name: small, backend_refs: [{ref}]}}]}}
    routing: {{modelCards: [{{name: small}}]}}
    """
    found = warnings(text)

    assert [said in message for _, message in found] == [True] * bool(said)


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
