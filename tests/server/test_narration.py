import pytest

from orchestrator.config.schema import Decision
from orchestrator.server.narration import sentences
from orchestrator.types import Candidate, Facts, Plan, Reading, Route
from tests.server.policies import LAW, a_policy


def told(readings, decisions=None):
    policy = a_policy(readings) if decisions is None else a_policy(readings, decisions=decisions)
    facts = Facts(readings)
    verdict = policy.engine.decide(facts)
    plan = Plan(Candidate("small"), "static", reason="the only candidate")
    return list(sentences(Route("auto", "routed", "default", verdict, plan, facts=facts), policy))


CALM = Decision(
    name="calm",
    rules={"operator": "NOT", "conditions": [{"type": "word", "name": "urgent"}]},
    modelRefs=[{"model": "small"}],
)
ALWAYS = Decision(name="always", modelRefs=[{"model": "small"}])


@pytest.mark.parametrize(
    ("readings", "decisions", "expected"),
    [
        pytest.param({}, None, ["No decision matches."], id="nothing"),
        pytest.param(
            {"word": Reading({"urgent": None}), "topic": Reading(unknown={"law": "timeout"})},
            None,
            [
                "No decision matches.",
                "'lawyer' is left out, because topic:law (timeout) could not be judged.",
            ],
            id="unknown",
        ),
        pytest.param(
            LAW,
            None,
            ["'lawyer' applies with confidence 0.915, by word:urgent, topic:law."],
            id="a tree",
        ),
        pytest.param(
            {"word": Reading()},
            (CALM,),
            ["'calm' applies with confidence 1.000, by not word:urgent."],
            id="a negation",
        ),
        pytest.param(
            LAW,
            (ALWAYS,),
            ["'always' applies with confidence 0.000, by its lack of conditions."],
            id="without conditions",
        ),
        pytest.param(
            {"word": Reading()},
            (CALM.model_copy(update={"priority": 1}), ALWAYS),
            [
                "'calm' applies with confidence 1.000, by not word:urgent.",
                "'always' matches too and comes after it.",
            ],
            id="two",
        ),
    ],
)
def test_sentences(readings, decisions, expected):
    assert told(readings, decisions) == [*expected, "'small' answers: static, the only candidate."]
