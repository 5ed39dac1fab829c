from random import Random

import pytest

from orchestrator.config.schema import Config
from orchestrator.protocols.reasoning import ReasoningChange
from orchestrator.types import Candidate
from orchestrator.upstream.backends import backends


def table(model=None, defaults=None, loras=("law",)):
    return backends(
        Config.model_validate(
            {
                "providers": {
                    "defaults": {
                        "reasoning_families": {
                            "qwen3": {
                                "type": "chat_template_kwargs",
                                "parameter": "enable_thinking",
                            }
                        },
                        **(defaults or {}),
                    },
                    "models": [
                        {"name": "q", "backend_refs": [{"endpoint": "a"}], **(model or {})},
                        {"name": "bare", "provider_model_id": "x"},
                    ],
                },
                "routing": {
                    "modelCards": [
                        {"name": "q", "loras": [{"name": name} for name in loras]},
                        {"name": "bare", "loras": [{"name": "nowhere"}]},
                    ]
                },
            }
        ),
        Random(1),
    )


def test_models_without_servers_are_left_out():
    assert sorted(table()) == ["law", "q"]


@pytest.mark.parametrize(
    "name, candidate, model_id",
    [
        ("q", Candidate("q"), "org/q"),
        ("q", Candidate("q", lora="law"), "law"),
        ("law", Candidate("law"), "law"),
    ],
    ids=["model", "adapter chosen by a decision", "adapter named by the client"],
)
def test_the_adapter_is_the_model_that_servers_know(name, candidate, model_id):
    backend = table({"provider_model_id": "org/q"})[name]

    assert backend.model_id(candidate, backend.pool.endpoints[0]) == model_id


@pytest.mark.parametrize(
    "candidate, defaults, enabled, effort",
    [
        (Candidate("q"), {}, False, "medium"),
        (Candidate("q", use_reasoning=True), {}, True, "medium"),
        (Candidate("q", use_reasoning=True), {"default_reasoning_effort": "low"}, True, "low"),
        (
            Candidate("q", use_reasoning=True, reasoning_effort="high"),
            {"default_reasoning_effort": "low"},
            True,
            "high",
        ),
    ],
    ids=["off", "on", "default effort", "the decision's effort"],
)
def test_reasoning(candidate, defaults, enabled, effort):
    backend = table({"reasoning_family": "qwen3"}, defaults)["q"]

    assert backend.reasoning(candidate, backend.pool.endpoints[0]) == ReasoningChange(
        "chat_template_kwargs", "enable_thinking", enabled, effort
    )


def test_without_a_family_nothing_is_changed():
    backend = table()["q"]

    assert backend.reasoning(Candidate("q"), backend.pool.endpoints[0]) is None


def test_limits_come_from_the_config():
    pool = table(
        {
            "backend_refs": [{"endpoint": "a"}, {"endpoint": "b"}],
            "reliability": {"consecutive_5xx": 1, "base_ejection_time": "1h"},
        }
    )["q"].pool

    pool.failed(pool.endpoints[0])

    assert [one.name for one in pool.ejected()] == ["q_primary"]
