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
    routing:
      decisions:
        - name: a
          algorithm: {type: static}
          annotations: {owner: me}
          adaptations: {mode: bypass}
          emits: [{kind: retention, retention: {drop: true, prefer_prefix_retention: true}}]
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
          output_contract: As JSON.
          plugins:
            - type: later
              configuration: {}
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
        f"router.yaml:4: warning: routing.decisions[0].output_contract: 'As JSON.' is {tail}",
        f"router.yaml:6: warning: routing.decisions[0].plugins[0].type: 'later' is {tail}",
        f"router.yaml:10: warning: global.stores.response_cache: {tail}",
        f"router.yaml:14: warning: global.services.observability.metrics.enabled: {tail}",
    ]


def test_settings_of_models_that_nothing_reads():
    text = """\
    global:
      model_catalog:
        embeddings:
          semantic: {embedding_config: {prototype_scoring: {margin_threshold: 0.1}}}
    """
    scoring = "global.model_catalog.embeddings.semantic.embedding_config.prototype_scoring"
    tail = "accepted, not used by this version"
    assert said(text) == [
        f"router.yaml:4: warning: {scoring}.margin_threshold: {tail}",
    ]
    assert said(text.replace("0.1}", "0}")) == []


def test_settings_of_families_that_compare_meanings_are_used():
    text = """\
    global:
      model_catalog:
        kbs: [{name: a, source: {path: b}, threshold: 0.5, prototype_scoring: {top_m: 3}}]
        modules:
          complexity: {prototype_scoring: {top_m: 3}}
          classifier:
            preference: {use_contrastive: true, prototype_scoring: {margin_threshold: 0.1}}
    """
    at = "global.model_catalog.modules.classifier.preference.use_contrastive"
    assert said(text) == []
    assert said(text.replace("true", "false")) == [
        f"router.yaml:7: warning: {at}: accepted, not used by this version"
    ]


def test_settings_of_the_classifiers():
    text = """\
    global:
      model_catalog:
        modules:
          prompt_guard:
            enabled: true
            threshold: 0.6
            positive_labels: [jailbreak]
            on_error: block
            variant: ""
            protocol: http_chat
          classifier:
            domain: {threshold: 0.4, enabled: true, use_cpu: true}
            pii: {threshold: 0.8, pii_mapping_path: a.json}
          hallucination_mitigation:
            enabled: false
            fact_check: {threshold: 0.65, model_id: m}
            detector: {threshold: 0.5}
          feedback_detector: {enabled: true, threshold: 0.6, feedback_mapping_path: b.json}
          modality_detector:
            enabled: true
            method: hybrid
            keywords: [draw]
            both_keywords: [explain]
            confidence_threshold: 0.6
            lower_threshold_ratio: 0.7
            prompt_prefixes: [draw]
            classifier: {model_path: m}
    """
    at = "global.model_catalog.modules"
    assert [one.split(" warning: ")[1].split(": ")[0] for one in said(text)] == [
        f"{at}.prompt_guard.protocol",
        f"{at}.classifier.domain.use_cpu",
        f"{at}.classifier.pii.pii_mapping_path",
        f"{at}.hallucination_mitigation.fact_check.model_id",
        f"{at}.hallucination_mitigation.detector",
        f"{at}.feedback_detector.feedback_mapping_path",
        f"{at}.modality_detector.prompt_prefixes",
        f"{at}.modality_detector.classifier",
    ]


def test_without_a_document_there_is_no_line():
    config = loaded("global: {router: {clear_route_cache: true}}").config

    assert [(p.path, p.line) for p in unused(config)] == [("global.router.clear_route_cache", None)]
