"""A small policy with scripted signals, for tests of what stands above the signals."""

from collections.abc import Mapping

from orchestrator import selection
from orchestrator.config.schema import Decision
from orchestrator.decision.engine import Engine
from orchestrator.pipeline import Names, Pipeline, Policy
from orchestrator.registry import discover
from orchestrator.telemetry import Telemetry
from orchestrator.types import Candidate, Facts, ModelEntry, Reading, Request

discover(selection)

RESULTS = {"word": "words", "topic": "topics", "size": "size", "projection": "projection"}
DECLARED = {"word": ("urgent", "polite"), "topic": ("law", "cooking"), "size": ("long",)}

DECISIONS = (
    Decision(
        name="lawyer",
        priority=20,
        rules={
            "operator": "AND",
            "conditions": [
                {"type": "word", "name": "urgent"},
                {"type": "topic", "name": "law"},
            ],
        },
        modelRefs=[{"model": "big", "lora_name": "big-law"}, {"model": "small"}],
        plugins=[{"type": "system_prompt", "configuration": {"system_prompt": "hi"}}],
    ),
    Decision(
        name="long",
        priority=10,
        rules={"type": "size", "name": "long"},
        modelRefs=[{"model": "small"}],
        algorithm={"type": "static"},
    ),
)

# For them the lawyer decides.
LAW = {
    "word": Reading(matches={"urgent": None}),
    "topic": Reading(matches={"law": 0.83}, values={"law:margin": 0.4}),
    "size": Reading(values={"long": 12.0}),
}


class ScriptedEvaluation:
    """Answers every request with the same readings; remembers what was asked."""

    def __init__(self, readings: Mapping[str, Reading]) -> None:
        self.readings = readings
        self.asked: list[tuple[Request, frozenset[str] | None]] = []

    async def facts(self, request: Request, families: frozenset[str] | None) -> Facts:
        self.asked.append((request, families))
        return Facts(self.readings, dict.fromkeys(self.readings, 0.0025))


def a_policy(readings: Mapping[str, Reading], decisions=DECISIONS, recipe="default") -> Policy:
    return Policy(
        recipe=recipe,
        evaluation=ScriptedEvaluation(readings),
        engine=Engine(decisions),
        decisions={decision.name: decision for decision in decisions},
        declared=DECLARED,
        results=RESULTS,
        default=Candidate("small"),
    )


def a_pipeline(
    readings: Mapping[str, Reading], telemetry: Telemetry | None = None, **policies: Policy
) -> Pipeline:
    """`auto` is routed by `readings`; each further policy has the routed name `<recipe>-route`."""
    named = {"default": a_policy(readings), **policies}
    recipes = {"auto": "default", **{f"{recipe}-route": recipe for recipe in policies}}
    names = Names(
        recipes=recipes,
        models=frozenset({"big", "small"}),
        listing=tuple(ModelEntry(name, "virtual", "tests") for name in recipes),
        default="auto",
    )
    return Pipeline(names, named, upstream=None, telemetry=telemetry or Telemetry())
