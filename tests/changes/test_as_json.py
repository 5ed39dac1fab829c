import json

from orchestrator.changes.as_json import effects_json, structure_json
from orchestrator.changes.costs import Costs, Money
from orchestrator.changes.effects import effects
from orchestrator.changes.routing import Routed, Unread
from tests.changes.policies import between
from tests.changes.test_report import MOVED, SAME, STAYED, UNSURE


def test_the_structure():
    found = structure_json(
        between(("sk-first", "sk-second"), ("min_tokens: 1K", "min_tokens: 2K")).changes
    )

    assert json.loads(json.dumps(found)) == [
        {
            "kind": "changed",
            "what": "signal",
            "name": "context:long",
            "recipe": "default",
            "was": "",
            "fields": [{"path": "min_tokens", "old": 1000, "new": 2000}],
            "touches": ["programming"],
            "note": "",
        },
        {
            "kind": "changed",
            "what": "model",
            "name": "big",
            "recipe": "",
            "was": "",
            "fields": [{"path": "backend_refs[0].api_key", "old": "(secret)", "new": "(secret)"}],
            "touches": ["programming"],
            "note": "",
        },
    ]


def test_the_effects():
    routed = Routed((MOVED, STAYED, UNSURE), (Unread("r", "not JSON", "f:7"),))
    found = effects(routed, SAME, Costs({"USD": Money(2.0, 1.5, 2)}, assumed=1))

    told = json.loads(json.dumps(effects_json(found, 512, prompts=False)))

    assert (told["requests"], told["compared"], told["changed"]) == (4, 2, 1)
    assert told["cost"]["currencies"] == {
        "USD": {"old": 2.0, "new": 1.5, "requests": 2, "percent": -25.0}
    }
    assert told["decisions"] == [
        {"old": "law [x]", "new": "(no decision)", "requests": 1},
        {"old": "law", "new": "law", "requests": 1},
    ]
    assert told["changes"][0]["id"] == "r1"
    assert "hunter2" not in json.dumps(told)
    assert told["open"] == {
        "requests": ["r2"],
        "surely_same": 0,
        "surely_changed": 1,
        "changed_if_unmatched": 1,
        "unknown": {"pii:any (why)": 1},
    }
    assert told["unread"] == [
        {"id": "r", "reason": "not JSON", "place": "f:7", "understood": False}
    ]
    assert told["unjudged_algorithms"] == {"knn": 1}
    assert told["not_run_algorithms"] == {"fusion": 1}


def test_prompts_where_they_are_asked_for():
    found = effects(Routed((MOVED,)), SAME, Costs())

    assert "hunter2" in effects_json(found, 512, prompts=True)["changes"][0]["prompt"]
