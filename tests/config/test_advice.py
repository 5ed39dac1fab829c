import pytest

from orchestrator.config.advice import advice
from tests.config.documents import loaded

SERVED = """\
version: v0.3
providers:
  defaults: {default_model: small, reasoning_families: {q: {type: reasoning_effort, parameter: p}}}
  models:
    - name: small
      reasoning_family: q
      backend_refs:
        - {endpoint: "a:1", name: local}
        - {endpoint: "b:1", name: remote}
    - {name: plain, backend_refs: [{endpoint: "c:1", name: local}, {endpoint: "d:1"}]}
routing:
  modelCards: [{name: small}, {name: plain}]
  decisions:
    - name: d
      rules: {type: t, name: n}
      modelRefs:
        - {model: small, use_reasoning: true}
        - {model: plain, use_reasoning: false}
"""


def said(text):
    result = loaded(text)
    check = result.check()
    check.add(advice(result.config))
    return [str(problem).removeprefix("router.yaml:") for problem in check.finish()]


def test_nothing_to_say():
    assert said(SERVED) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        pytest.param(
            "name: remote",
            "name: local",
            "9: warning: providers.models[0].backend_refs[1].name: ",
            "two backends of 'small' are called 'local': logs mix them up",
            id="two servers of one name",
        ),
        pytest.param(
            "use_reasoning: false",
            "use_reasoning: true",
            "18: warning: routing.decisions[0].modelRefs[1].use_reasoning: ",
            "has no effect: the model 'plain' has no reasoning_family",
            id="reasoning of a model without a family",
        ),
        pytest.param(
            "default_model: small, ",
            "",
            "13: warning: routing.decisions: ",
            "a request that no decision of the recipe 'default' matches is answered with an error"
            " (set providers.defaults.default_model, or",
            id="nothing answers what nothing matches",
        ),
        pytest.param(
            SERVED[SERVED.index("      modelRefs") :],
            "",
            "14: warning: routing.decisions[0]: ",
            "'d' has no modelRefs: what it matches the default model 'small' answers",
            id="a decision without models",
        ),
    ],
)
def test_a_warning(old, new, line, message):
    assert SERVED.count(old) == 1
    (found,) = said(SERVED.replace(old, new))

    assert found.startswith(line + message)


def test_without_any_model_a_match_is_an_error():
    (found,) = said("routing: {decisions: [{name: d}]}")

    assert "'d' has no modelRefs: what it matches is an error" in found


@pytest.mark.parametrize("rules", ["{}", "{operator: AND}"], ids=["no rules", "AND of nothing"])
def test_a_decision_that_always_matches_needs_no_default_model(rules):
    text = SERVED.replace("default_model: small, ", "").replace("{type: t, name: n}", rules)

    assert said(text) == []
