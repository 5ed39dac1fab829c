"""Rules that count only where rules of other families hold."""

import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.evaluation import ignore
from orchestrator.inference.fake import FakeInference
from orchestrator.pipeline import Pipeline
from orchestrator.server.evaluate import evaluate
from orchestrator.telemetry import Telemetry
from tests.app.findings import problems, warnings
from tests.app.planes import compiled

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


def test_a_composer_says_nothing_of_a_rule_that_was_refused():
    broken = (COMPOSED % "{type: keyword, name: code}").replace("operator: OR, keyw", "keyw")

    assert [one.path for one in problems(broken)] == ["routing.signals.keywords[0]"]
