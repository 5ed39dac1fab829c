"""What may not be meant so: it is served, and said with its line."""

import pytest

from tests.app.findings import warnings
from tests.app.planes import compiled


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


def test_a_token_of_the_management_plane_that_is_not_set(monkeypatch):
    monkeypatch.setenv("TSR_SET", "secret")
    monkeypatch.delenv("TSR_UNSET", raising=False)
    tokens = "[{env: TSR_SET, role: admin}, {env: TSR_UNSET, role: viewer}]"
    text = f"""
    version: v0.3
    providers: {{defaults: {{default_model: small}}}}
    routing: {{modelCards: [{{name: small}}]}}
    global: {{services: {{management_api: {{auth: {{mode: bearer, tokens: {tokens}}}}}}}}}
    """
    ((path, message),) = warnings(text)

    assert path.endswith("management_api.auth.tokens[1].env")
    assert "environment variable TSR_UNSET is not set" in message


def both(top_k):
    return f"""
    version: v0.3
    providers: {{defaults: {{default_model: small}}}}
    global:
      model_catalog: {{embeddings: {{semantic: {{embedding_config: {{{top_k}}}}}}}}}
    routing:
      modelCards: [{{name: small}}]
      signals:
        embeddings:
          - {{name: fault, threshold: 0.5, candidates: [my code is wrong]}}
          - {{name: code, threshold: 0.5, query_modality: image, candidates: [source code]}}
      decisions:
        - name: debug
          rules: {{operator: AND, conditions: [{{type: embedding, name: fault}},
                  {{type: embedding, name: code}}]}}
          modelRefs: [{{model: small}}]
    """


@pytest.mark.parametrize(
    ("top_k", "told"),
    [
        pytest.param("", True, id="the format's default is 1"),
        pytest.param("top_k: 1", True, id="1"),
        pytest.param("top_k: 2", False, id="2"),
        pytest.param("top_k: 0", False, id="no limit"),
    ],
)
def test_a_text_rule_and_an_image_rule_that_displace_one_another(top_k, told):
    said = (
        "this AND of 'debug' never holds: of the embedding rules 'code', 'fault' it needs more"
        " than match at a time, which is 1 by"
        " global.model_catalog.embeddings.semantic.embedding_config.top_k"
    )

    assert warnings(both(top_k)) == [("routing.decisions[0].rules", said)] * told
