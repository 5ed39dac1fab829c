import pytest

from orchestrator.config.settings import Global, Router
from tests.config.documents import loaded, problems


def test_defaults_are_the_format_s():
    settings = Global()

    assert settings.router.auto_model_name == "MoM"
    assert settings.router.strategy == "priority"
    assert settings.services.response_api.store_backend == "redis"
    assert settings.services.authz.identity.user_id_header == "x-authz-user-id"
    assert settings.services.management_api.port == 8080
    assert settings.stores.memory.default_similarity_threshold == 0.7
    assert settings.integrations.looper.timeout_seconds == 1200
    embedding = settings.model_catalog.embeddings.semantic.embedding_config
    assert (embedding.enable_soft_matching, embedding.top_k) == (True, 1)
    assert embedding.min_score_threshold == 0.5
    assert embedding.prototype_scoring.model_dump() == {
        "enabled": True,
        "cluster_similarity_threshold": 0.9,
        "max_prototypes": 8,
        "best_weight": 0.75,
        "top_m": 2,
        "margin_threshold": 0.0,
    }
    assert [(kb.name, kb.threshold) for kb in settings.model_catalog.kbs] == [
        ("privacy_kb", 0.55),
        ("mmlu_kb", 0.25),
    ]
    assert settings.model_catalog.modules.prompt_guard.threshold == 0.7


def test_defaults_of_our_own_settings():
    settings = Global()

    assert settings.router.signal_deadline == 2
    assert settings.router.signal_deadlines == {}
    assert settings.router.not_run_signals == "no_match"
    assert settings.router.max_body_bytes == 33554432
    assert settings.services.triton.model_dump() == {
        "urls": (),
        "model_repository": None,
        "deadline": 2,
        "recheck_interval": 60,
        "models": {},
        "dimension": 0,
    }


def test_a_given_block_keeps_the_other_defaults_and_a_given_list_replaces():
    config = loaded(
        """\
        global:
          router: {signal_deadlines: {any: 500ms}}
          services: {authz: {identity: {user_id_header: X-User}}}
          model_catalog: {kbs: []}
        """
    ).config

    assert config.global_.router.signal_deadlines == {"any": 0.5}
    identity = config.global_.services.authz.identity
    assert identity.user_id_header == "x-user"
    assert identity.user_groups_header == "x-authz-user-groups"
    assert config.global_.model_catalog.kbs == ()


@pytest.mark.parametrize(
    ("router", "names"),
    [
        pytest.param({}, ("vllm-sr/auto", "auto", "MoM"), id="default"),
        pytest.param({"auto_model_name": "auto"}, ("vllm-sr/auto", "auto"), id="name twice"),
        pytest.param(
            {"auto_model_names": ["x", "auto"]}, ("vllm-sr/auto", "auto", "MoM", "x"), id="list"
        ),
        pytest.param({"auto_model_names": []}, (), id="empty list: none"),
    ],
)
def test_auto_names(router, names):
    assert Router.model_validate(router).auto_names() == names


@pytest.mark.parametrize(
    ("router", "names"),
    [
        pytest.param({"auto_model_names": []}, (), id="none"),
        pytest.param({"auto_model_names": ["x"]}, ("x",), id="a list: only its names"),
        pytest.param({}, ("vllm-sr/auto", "auto", "MoM"), id="all"),
    ],
)
def test_reserved_names(router, names):
    assert Router.model_validate(router).reserved_names() == names


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        pytest.param(
            "global: {router: {learning: {adaptaton: {}}}}",
            "global.router.learning.adaptaton",
            "unknown key 'adaptaton'",
            id="learning is strict",
        ),
        pytest.param(
            "global: {services: {management_api: {bind_address: example.com}}}",
            "global.services.management_api.bind_address",
            "bind_address is an IP address or localhost, found 'example.com'",
            id="bind address",
        ),
        pytest.param(
            "global: {services: {management_api: {remote_exposure: true}}}",
            "global.services.management_api",
            "remote_exposure needs auth.mode bearer and at least one token",
            id="exposure without tokens",
        ),
        pytest.param(
            "global: {services: {triton: {deadline: 0s}}}",
            "global.services.triton.deadline",
            "expected a number above 0, found '0s'",
            id="no time for Triton",
        ),
        pytest.param(
            "global: {router: {signal_deadline: 0}}",
            "global.router.signal_deadline",
            "expected a number above 0, found 0",
            id="no time for a signal",
        ),
        pytest.param(
            "global: {router: {signal_deadlines: {any: 0ms}}}",
            "global.router.signal_deadlines.any",
            "expected a number above 0, found '0ms'",
            id="no time for a family",
        ),
        pytest.param(
            "global: {router: {max_body_bytes: 0}}",
            "global.router.max_body_bytes",
            "expected a number above 0, found 0",
            id="no body",
        ),
        pytest.param(
            "global: {model_catalog: {modules: {prompt_guard: {variant: candle,"
            " protocol: http_chat}}}}",
            "global.model_catalog.modules.prompt_guard",
            "variant and protocol exclude each other",
            id="two ways to the guard",
        ),
        pytest.param(
            "global: {model_catalog: {external: [{name: e, model_role: judge, llm_endpoint:"
            " {address: a, port: 1}}]}}",
            "global.model_catalog.external[0].model_role",
            "expected one of guardrail, classification, scoring, preference, memory_rewrite,"
            " memory_extraction, found 'judge'",
            id="role",
        ),
        pytest.param(
            "global: {stores: {memory: {default_similarity_threshold: 1.5}}}",
            "global.stores.memory.default_similarity_threshold",
            "expected a number of at most 1, found 1.5",
            id="threshold",
        ),
    ],
)
def test_refused(text, path, message):
    assert [(p.path, p.message) for p in problems(text)] == [(path, message)]


def test_protocol_of_the_guard_needs_no_empty_variant():
    text = "global: {model_catalog: {modules: {prompt_guard: {protocol: http_chat}}}}"

    assert loaded(text).config.global_.model_catalog.modules.prompt_guard.variant is None
