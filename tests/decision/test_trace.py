from orchestrator.config.decisions import Decision
from orchestrator.decision.engine import Engine
from orchestrator.types import Facts, Reading

RULES = {
    "operator": "AND",
    "conditions": [
        {"type": "keyword", "name": "urgent"},
        {"operator": "NOT", "conditions": [{"type": "domain", "name": "law"}]},
        {"operator": "OR", "conditions": [{"type": "domain", "name": "math"}]},
        {
            "type": "guard",
            "name": "toxic",
            "label": "bad",
            "predicate": {"lt": 0.5},
        },
    ],
}
FACTS = Facts(
    {
        "keyword": Reading(matches={"urgent": None}),
        "domain": Reading(matches={"math": 0.8}),
        "guard": Reading(unknown={"toxic": "inference_timeout"}),
    }
)


def test_every_node_is_there_with_its_outcome_and_reason():
    engine = Engine(
        [
            Decision.model_validate({"name": "strict", "priority": 1, "rules": RULES}),
            Decision.model_validate({"name": "rest"}),
        ]
    )
    match = {"matched": True, "state": "match", "confidence": 1.0, "confidence_scored": False}
    scored = {"matched": True, "state": "match", "confidence": 0.8, "confidence_scored": True}
    miss = {"matched": False, "state": "no_match", "confidence": 0.0, "confidence_scored": False}
    doubt = {"matched": False, "state": "unknown", "confidence": 0.0, "confidence_scored": False}

    def leaf(family: str, name: str) -> dict[str, object]:
        return {"node_type": "leaf", "signal_type": family, "signal_name": name}

    assert engine.trace(FACTS) == [
        {
            "decision_name": "strict",
            "matched": False,
            "state": "unknown",
            "confidence": 0.0,
            "root_trace": {
                "node_type": "AND",
                **doubt,
                "children": [
                    {**leaf("keyword", "urgent"), **match},
                    {"node_type": "NOT", **match, "children": [{**leaf("domain", "law"), **miss}]},
                    {
                        "node_type": "OR",
                        **scored,
                        "children": [{**leaf("domain", "math"), **scored}],
                    },
                    {
                        **leaf("guard", "toxic"),
                        "label": "bad",
                        **doubt,
                        "reason": "inference_timeout",
                    },
                ],
            },
        },
        {
            "decision_name": "rest",
            "matched": True,
            "state": "match",
            "confidence": 0.0,
            "root_trace": {
                "node_type": "fallback",
                "matched": True,
                "state": "match",
                "confidence": 0.0,
                "confidence_scored": False,
                "children": [],
            },
        },
    ]


def test_all_decisions_are_traced_highest_priority_first():
    rows = [
        Decision.model_validate({"name": name, "priority": priority})
        for name, priority in (("low", 1), ("high", 9), ("middle", 5), ("middle-too", 5))
    ]

    names = [entry["decision_name"] for entry in Engine(rows).trace(Facts())]

    assert names == ["high", "middle", "middle-too", "low"]
