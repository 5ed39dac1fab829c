import pytest

from orchestrator.config.decisions import Decision
from orchestrator.decision.directives import directives


def said(**fields):
    return directives(Decision.model_validate({"name": "d", **fields}))


def retention(**fields):
    return {"emits": [{"kind": "retention", "retention": fields}]}


def loop(source, *models, outputs=True):
    output = [{"type": "model", "value": "m"}] if outputs else []
    return {"variable": "m", "source": source, "models": list(models), "outputs": output}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, {}, id="nothing"),
        pytest.param({"algorithm": {"type": "static"}}, {}, id="what runs is no directive"),
        pytest.param(
            {"annotations": {"owner": "me"}}, {"annotations": {"owner": "me"}}, id="annotations"
        ),
        pytest.param(
            retention(ttl_turns=0, keep_current_model=False),
            {
                "emits": [
                    {
                        "kind": "retention",
                        "retention": {
                            "ttl_turns": 0,
                            "ttl_seconds": 0.0,
                            "keep_current_model": False,
                        },
                    }
                ]
            },
            id="an explicit zero is said, and needs no action",
        ),
        pytest.param(
            retention(ttl_turns=4),
            {
                "emits": [
                    {"kind": "retention", "retention": {"ttl_turns": 4, "ttl_seconds": 240.0}}
                ],
                "not_run": ["emits"],
            },
            id="60 seconds a turn",
        ),
        pytest.param(
            retention(drop=True, prefer_prefix_retention=True),
            {
                "emits": [
                    {
                        "kind": "retention",
                        "retention": {"drop": True, "prefer_prefix_retention": True},
                    }
                ]
            },
            id="nothing is kept anyway",
        ),
        pytest.param(
            {"adaptations": {"mode": "bypass"}}, {"adaptations": {"mode": "bypass"}}, id="bypass"
        ),
        pytest.param(
            {"adaptations": {"adaptation": {"mode": "apply"}}},
            {"adaptations": {"adaptation": {"mode": "apply"}}, "not_run": ["adaptations"]},
            id="learning",
        ),
        pytest.param(
            {
                "output_contract": "Keep the format.",
                "output_contract_spec": {"type": "choice", "choice_set": {"values": ["a"]}},
            },
            {
                "output_contract": "Keep the format.",
                "output_contract_spec": {"type": "choice", "choice_set": {"values": ["a"]}},
                "not_run": ["output_contract", "output_contract_spec"],
            },
            id="contracts",
        ),
        pytest.param(
            {
                "modelRefs": [{"model": "a"}],
                "candidateIterations": [
                    loop("models", {"model": "b", "lora_name": "c"}, {"model": "d"}),
                    loop("decision.candidates"),
                    loop("models", {"model": "e"}, outputs=False),
                ],
            },
            {
                "candidateIterations": [
                    {"variable": "m", "source": "models", "adds": ["c", "d"]},
                    {"variable": "m", "source": "decision.candidates", "adds": []},
                    {"variable": "m", "source": "models", "adds": []},
                ]
            },
            id="loops",
        ),
        pytest.param(
            {"plugins": [{"type": "rag", "configuration": {}}]},
            {"not_run": ["plugins[0]"]},
            id="a plugin",
        ),
    ],
)
def test_directives(fields, expected):
    assert said(**fields) == expected
