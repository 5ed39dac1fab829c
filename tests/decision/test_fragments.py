"""Every decision fragment compiles, and its first decision can be won."""

from pathlib import Path

import pytest
import yaml

from orchestrator.config.decisions import Decision
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading

FOLDER = Path(__file__).parent.parent.parent / "configs/fragments/decision"


@pytest.mark.parametrize(
    ("name", "facts", "expected"),
    [
        pytest.param("all", {"domain": Reading({"billing": 0.9})}, None, id="all: one of two"),
        pytest.param("any", {"keyword": Reading({"urgent": None})}, None, id="any: none"),
        pytest.param(
            "not", {"jailbreak": Reading({"prompt_injection": 0.9})}, None, id="not: it is"
        ),
        pytest.param(
            "not",
            {"jailbreak": Reading(unknown={"prompt_injection": "timeout"})},
            None,
            id="not: unknown",
        ),
        pytest.param(
            "all",
            {"domain": Reading({"billing": 0.9}), "keyword": Reading({"urgent": None})},
            "urgent_billing",
            id="all",
        ),
        pytest.param("any", {"domain": Reading({"law": 0.6})}, "billing_or_contract", id="any"),
        pytest.param("not", {"jailbreak": Reading()}, "harmless_only", id="not"),
        pytest.param(
            "nested",
            {"structure": Reading(values={"questions": 4.0})},
            "hard_and_safe",
            id="nested",
        ),
        pytest.param("priority", {"domain": Reading({"billing": 0.5})}, "billing", id="priority"),
        pytest.param("priority", {}, "everything_else", id="priority: the rest"),
    ],
)
def test_fragment(name, facts, expected):
    rows = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())["routing"]["decisions"]
    engine = Engine([Decision.model_validate(row) for row in rows])

    verdict = engine.decide(Facts(facts))

    assert (verdict.decision if verdict else None) == expected


def test_every_fragment_is_covered():
    assert {path.stem for path in FOLDER.glob("*.yaml")} == {
        "all",
        "any",
        "not",
        "nested",
        "priority",
    }
