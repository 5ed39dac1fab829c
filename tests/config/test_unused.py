from orchestrator.config.unused import unused
from tests.config.documents import MINIMAL, loaded


def said(text):
    result = loaded(text)
    return [str(problem) for problem in unused(result.config, result.source)]


def test_what_runs_is_not_listed():
    assert said(MINIMAL) == []


def test_what_is_switched_off_needs_no_action():
    assert said("global: {stores: {response_cache: {enabled: false, backend_type: memory}}}") == []


def test_what_needs_no_action_by_its_value():
    text = """\
    routing: {decisions: [{name: a, algorithm: {type: static}}]}
    providers: {models: [{name: m, api_format: openai}]}
    global:
      router: {config_source: file}
      services: {observability: {metrics: {enabled: true}}, management_api: {auth: {}}}
    """
    assert said(text) == []


def test_one_line_for_each_path_in_file_order():
    text = """\
    routing:
      decisions:
        - name: a
          annotations: {owner: me}
          plugins:
            - type: later
              configuration: {}
          algorithm: {type: clever}
    global:
      stores:
        response_cache:
          max_entries: 5
      services:
        triton: {deadline: 1s}
        observability: {metrics: {enabled: false}}
    """
    tail = "accepted, not used by this version"
    assert said(text) == [
        f"router.yaml:4: warning: routing.decisions[0].annotations: {tail}",
        f"router.yaml:6: warning: routing.decisions[0].plugins[0].type: 'later' is {tail}",
        f"router.yaml:8: warning: routing.decisions[0].algorithm: 'clever' is {tail}",
        f"router.yaml:11: warning: global.stores.response_cache: {tail}",
        f"router.yaml:15: warning: global.services.observability.metrics.enabled: {tail}",
    ]


def test_settings_of_models_that_nothing_reads():
    text = """\
    routing:
      decisions:
        - name: a
          modelRefs:
            - {model: m, weight: 1}
            - {model: n, weight: 3}
    global:
      model_catalog:
        embeddings:
          semantic: {embedding_config: {prototype_scoring: {margin_threshold: 0.1}}}
    """
    scoring = "global.model_catalog.embeddings.semantic.embedding_config.prototype_scoring"
    tail = "accepted, not used by this version"
    assert said(text) == [
        f"router.yaml:6: warning: routing.decisions[0].modelRefs[1].weight: {tail}",
        f"router.yaml:10: warning: {scoring}.margin_threshold: {tail}",
    ]
    assert said(text.replace("3}", "1}").replace("0.1}", "0}")) == []


def test_without_a_document_there_is_no_line():
    config = loaded("global: {router: {clear_route_cache: true}}").config

    assert [(p.path, p.line) for p in unused(config)] == [("global.router.clear_route_cache", None)]
