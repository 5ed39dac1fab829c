"""What is said of algorithms before anything runs, with the line where it stands."""

import pytest

from orchestrator.app.policies import compile_policies
from orchestrator.config.load import examine
from orchestrator.errors import ConfigError

POLICY = """\
version: v0.3
providers: {defaults: {default_model: small}}
routing:
  modelCards:
    - {name: small, description: chats, quality_score: 0.5}
    - {name: large, description: reasons, quality_score: 0.9}
  decisions:
    - name: d
      modelRefs: [{model: small}, {model: large}]
      algorithm: %s
global:
  router:
    model_selection: %s
"""
AT = "routing.decisions[0].algorithm"


def said(algorithm, selection="{}", policy=POLICY):
    """path: message of everything found, but for providers that the policy has none of."""
    try:
        found = compile_policies(examine(policy % (algorithm, selection), "p.yaml")).warnings
    except ConfigError as error:
        found = error.problems
    return [f"{one.severity} {one.path}: {one.message}" for one in found if one.line]


@pytest.mark.parametrize(
    "algorithm",
    [
        "{type: static}",
        "{type: router_dc, router_dc: {min_similarity: 0.2}}",
        "{type: automix, automix: {cost_quality_tradeoff: 0.5}}",
        "{type: hybrid}",
        "{type: latency_aware, latency_aware: {tpot_percentile: 90}}",
        "{type: multi_factor, multi_factor: {weights: {cost: 1}}}",
    ],
)
def test_nothing_to_say(algorithm):
    assert said(algorithm) == []


@pytest.mark.parametrize(
    ("algorithm", "problem"),
    [
        pytest.param("{type: elos}", f"error {AT}.type: unknown algorithm 'elos'", id="unknown"),
        pytest.param(
            "{type: static, static: {}}", f"error {AT}.static: static takes no settings", id="block"
        ),
        pytest.param(
            "{type: knn, knn: {k: 5}}", f"error {AT}.knn: knn takes no settings", id="trained"
        ),
        pytest.param(
            "{type: router_dc, router_dc: {temprature: 1}}",
            f"error {AT}.router_dc.temprature: unknown key 'temprature'",
            id="unknown key",
        ),
        pytest.param(
            "{type: latency_aware, latency_aware: {ttft_percentile: 101}}",
            f"error {AT}.latency_aware.ttft_percentile: expected a number of at most 100,"
            " found 101",
            id="out of range",
        ),
        pytest.param(
            "{type: latency_aware}",
            f"error {AT}: needs tpot_percentile, ttft_percentile or both",
            id="no block",
        ),
        pytest.param(
            "{type: svm}",
            f"warning {AT}.type: svm needs a trained model:"
            " global.router.model_selection.ml.models_path is not set: the first candidate answers",
            id="artefact",
        ),
        pytest.param(
            "{type: fusion}", f"warning {AT}: 'fusion' is accepted, not used by this version",
            id="looper",
        ),
        pytest.param(
            "{type: automix, automix: {max_escalations: 2}}",
            f"warning {AT}.automix.max_escalations: accepted, not used by this version",
            id="no effect",
        ),
    ],
)  # fmt: skip
def test_problems(algorithm, problem):
    assert problem in said(algorithm)


def test_a_near_miss_has_a_hint():
    with pytest.raises(ConfigError) as refused:
        compile_policies(examine(POLICY % ("{type: routerdc}", "{}"), "p.yaml"))

    assert refused.value.problems[0].hint == "did you mean 'router_dc'?"
    assert refused.value.problems[0].line == 10


def test_the_artefact_is_named(tmp_path):
    (found,) = said("{type: knn}", f"{{ml: {{models_path: {tmp_path}}}}}")

    assert found.startswith(f"warning {AT}.type: no file {tmp_path}/knn_model.json, which knn")


def test_defaults_are_checked_where_they_stand():
    at = "global.router.model_selection"
    found = said("{type: hybrid}", "{router_dc: {temperature: 0}, hybrid: {elo: 1}, method: knn}")

    assert f"error {at}.router_dc.temperature: expected a number above 0, found 0" in found
    assert f"error {at}.hybrid.elo: unknown key 'elo'" in found


@pytest.mark.parametrize(("given", "warnings"), [("true", 0), ("false", 1)])
def test_selection_cannot_be_switched_off(given, warnings):
    assert len(said("{type: static}", f"{{enabled: {given}}}")) == warnings


def test_how_a_model_was_trained_is_in_its_artefact():
    at = "global.router.model_selection.ml"
    found = said("{type: static}", "{ml: {models_path: m, knn: {k: 5}, model_path: m}}")

    assert f"error {at}.model_path: unknown key 'model_path'" in found
    (warning,) = said("{type: static}", "{ml: {models_path: m, knn: {k: 5}}}")
    assert warning == f"warning {at}.knn: accepted, not used by this version"


WEIGHTS = POLICY.replace(
    "{model: small}, {model: large}", "{model: small, weight: %s}, {model: large, weight: %s}"
)


@pytest.mark.parametrize(
    ("algorithm", "weights", "problems"),
    [
        pytest.param("{type: static}", (3, 1), [], id="a split"),
        pytest.param(
            "{type: static}",
            (0, 0),
            ["routing.decisions[0].modelRefs: every weight is 0: the first candidate answers"],
            id="nobody",
        ),
        pytest.param(
            "{type: automix}",
            (1, 3),
            [
                "routing.decisions[0].modelRefs[1].weight: accepted, not used by this version:"
                " only static splits by weights"
            ],
            id="not for this algorithm",
        ),
    ],
)
def test_weights(algorithm, weights, problems):
    policy = WEIGHTS % (*weights, algorithm, "{}")

    assert said("", "", policy.replace("%", "%%") + "%s%s") == [f"warning {p}" for p in problems]


def test_a_model_that_is_not_in_the_repository(tmp_path):
    triton = f"{{router: {{}}, services: {{triton: {{model_repository: {tmp_path}}}}}}}"
    policy = POLICY.split("global:")[0] + "global: %s\n"

    (found,) = said("{type: router_dc, router_dc: {min_similarity: 0.2}}", triton, policy)

    assert found.startswith(f"warning {AT}: needs text_embedding, not in {tmp_path}")
