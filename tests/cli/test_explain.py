import asyncio
import json

import pytest

from orchestrator.app.policies import compile_file
from orchestrator.cli.starting import say_starting
from orchestrator.cli.tree import answering_model
from tests.app.planes import planes
from tests.processes import free_ports


def timeless(answer):
    """An answer without what differs from run to run."""
    return {key: value for key, value in answer.items() if key != "metrics"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Why does my python script fail?", id="matches"),
        pytest.param("Tell me a joke", id="matches nothing"),
        pytest.param("word " * 5000, id="long"),
        pytest.param("¿Qué? 用python写 👩‍👩‍👧 \u2028 [bold]", id="of all scripts"),
    ],
)
def test_it_says_what_the_router_says(tsr, policy, text):
    told = tsr("explain", text, "--config", policy, "--json")
    assert told.code == 0

    async def ask():
        async with planes(policy.read_text()) as router:
            return await router.eval(text)

    assert timeless(json.loads(told.out)) == timeless(asyncio.run(ask()))


def test_the_tree_names_the_decision_the_signals_and_the_model(tsr, policy):
    told = tsr("explain", "python", "--config", policy)

    assert told.code == 0
    assert told.out.startswith("programming[/red] -> small\n")
    assert "keywords: code[/x]" in told.out
    assert "✓ keyword:code[/x]" in told.out
    assert "✗ context:long" in told.out


def test_what_the_decision_says_beside_its_models_is_told(tsr, policy):
    refs = "      modelRefs: [{model: small}]\n"
    said = "      annotations: {owner: me}\n      output_contract: As JSON.\n"
    text = policy.read_text()
    policy.write_text(text.replace(refs, refs + said, 1))

    told = tsr("explain", "python", "--config", policy)

    assert 'annotations  {"owner": "me"}\n' in told.out
    assert "output_contract  As JSON.\n" in told.out
    assert 'not_run  ["output_contract"]\n' in told.out


def test_a_triton_that_is_away_leaves_its_signals_unknown(tsr, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}]
  signals:
    embeddings: [{name: support, threshold: 0.5, candidates: [help]}]
  decisions:
    - {name: one, rules: {type: embedding, name: support}, modelRefs: [{model: small}]}
"""
    )
    away = f"127.0.0.1:{free_ports(1)[0]}"

    told = tsr("explain", "help", "--config", policy, "--triton-url", away)

    assert told.code == 0
    assert "(no decision: the default model) -> small" in told.out
    assert "? embedding:support (inference_unavailable)" in told.out


LATER = """
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards: [{name: small}, {name: large}]
  signals:
    domains: [{name: law}]
    keywords: [{name: code, operator: OR, keywords: [python]}]
  decisions:
    - name: legal
      priority: 20
      rules:
        operator: AND
        conditions: [{type: keyword, name: code}, {type: domain, name: law}]
      modelRefs: [{model: small}]
    - name: code
      priority: 10
      rules: {type: keyword, name: code}
      algorithm: {type: confidence}
      modelRefs: [{model: large}, {model: small}]
global:
  model_catalog: {modules: {classifier: {domain: {enabled: false}}}}
"""


@pytest.fixture
def later(tmp_path):
    """A policy with a family that is switched off, and an algorithm that is not run."""
    path = tmp_path / "later.yaml"
    path.write_text(LATER)
    return path


def test_a_family_that_is_not_run_is_no_plain_miss(tsr, later):
    told = tsr("explain", "python", "--config", later)

    assert "- domain:law (not run)" in told.out
    assert "✓ keyword:code" in told.out
    assert told.out.endswith("- not run by this version\n")


def test_where_it_is_unknown_the_tree_says_why(tsr, later):
    later.write_text(LATER + "  router: {not_run_signals: unknown}\n")

    told = tsr("explain", "python", "--config", later)

    assert "? domain:law (not_run)" in told.out


def test_an_algorithm_that_is_not_run_still_has_a_model_that_answers(tsr, later):
    told = tsr("explain", "python", "--config", later)

    assert told.out.startswith("code -> large\nconfidence: ")


def test_the_model_that_answers_is_taken_from_the_answer():
    empty = {"selected_model": "", "recommended_models": []}

    assert answering_model(empty) == "(no model)"
    assert answering_model(empty | {"recommended_models": ["a", "b"]}) == "a"
    assert answering_model(empty | {"selected_model": "c", "recommended_models": ["a"]}) == "c"
    assert answering_model(empty | {"answering_model": "d", "selected_model": "c"}) == "d"


KEYWORD = "{keywords: [{name: one, operator: OR, keywords: [python]}]}"
EMBEDDING = "{embeddings: [{name: one, threshold: 0.5, candidates: [help]}]}"


@pytest.mark.parametrize(
    ("signals", "urls", "said"),
    [
        pytest.param(("keyword", KEYWORD), (), "", id="no model is needed"),
        pytest.param(("embedding", EMBEDDING), ("triton:1",), "", id="another Triton"),
        pytest.param(
            ("embedding", EMBEDDING), (), "starting Triton with text_embedding", id="embedded"
        ),
    ],
)
def test_a_start_that_takes_seconds_is_announced_on_stderr(tmp_path, capsys, signals, urls, said):
    family, rules = signals
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        f"""
version: v0.3
providers: {{defaults: {{default_model: small}}}}
routing:
  modelCards: [{{name: small}}]
  signals: {rules}
  decisions:
    - {{name: one, rules: {{type: {family}, name: one}}, modelRefs: [{{model: small}}]}}
"""
    )

    say_starting(compile_file(policy), urls)

    out, err = capsys.readouterr()
    assert (out, bool(err)) == ("", bool(said))
    assert said in err
