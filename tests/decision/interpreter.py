"""spec/decisions.md 3.2 and 3.3 once more, as directly as they can be said, to compare with.

Nothing is compiled or shared with the engine: nodes of the config are walked for each question.
"""

from dataclasses import dataclass
from typing import Any

from orchestrator.config.decisions import Decision, Node
from orchestrator.types import Facts, Reading

Aliases = dict[tuple[str, str], tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Interpreter:
    facts: Facts
    aliases: Aliases

    def state(self, node: Node | None) -> str:
        if node is None:
            return "match"
        if node.type is not None:
            found = self.leaf(node)
            return node.on_error if found == "unknown" and node.on_error else found
        states = [self.state(child) for child in node.conditions]
        if node.operator == "NOT":
            return {"match": "no_match", "no_match": "match"}.get(states[0], "unknown")
        stops, goes = ("match", "no_match") if node.operator == "OR" else ("no_match", "match")
        if stops in states:
            return stops
        return "unknown" if "unknown" in states else goes

    def leaf(self, node: Node) -> str:
        if node.predicate is not None:
            return self.compared(node)
        places = [(self.reading(family), name) for family, name in self.places(node)]
        if any(name in reading.matches for reading, name in places):
            return "match"
        return "unknown" if any(name in reading.unknown for reading, name in places) else "no_match"

    def compared(self, node: Node) -> str:
        doubt = False
        for family, name in self.places(node):
            reading = self.reading(family)
            number = reading.values.get(name)
            number = reading.matches.get(name) if number is None else number
            if number is not None:
                if holds(number, node.predicate):
                    return "match"
            elif name in reading.unknown or (node.label and node.name in reading.unknown):
                doubt = True
        return "unknown" if doubt else "no_match"

    def places(self, node: Node) -> list[tuple[str, str]]:
        key = f"{node.name}:{node.label}" if node.label else node.name
        return [(node.type, key), *self.aliases.get((node.type, node.name), ())]

    def reading(self, family: str) -> Reading:
        return self.facts.readings.get(family, Reading())

    def weight(self, node: Node | None) -> tuple[float, float | None]:
        """Confidence and evidence of what matches."""
        if node is None:
            return 0.0, None
        if node.type is not None:
            return self.of_leaf(node)
        if node.operator == "NOT":
            return 1.0, None
        matching = [child for child in node.conditions if self.state(child) == "match"]
        weights = [self.weight(child) for child in matching]
        measured = [evidence for _, evidence in weights if evidence is not None]
        if not weights:
            return 0.0, None
        if node.operator == "OR":
            return max(own for own, _ in weights), max(measured, default=None)
        mean = sum(own for own, _ in weights) / len(weights)
        return mean, mean if measured else None

    def of_leaf(self, node: Node) -> tuple[float, float | None]:
        found = [self.reading(family).matches.get(name) for family, name in self.places(node)]
        scores = [] if node.predicate else [score for score in found if score is not None]
        return (max(scores), max(scores)) if scores else (1.0, None)

    def decide(self, decisions: list[Decision], strategy: str) -> Decision | None:
        matching = [one for one in decisions if self.state(one.rules) == "match"]
        tiered = any(one.tier for one in matching)
        return min(matching, key=lambda one: self.rank(one, strategy, tiered), default=None)

    def rank(self, decision: Decision, strategy: str, tiered: bool) -> tuple[Any, ...]:
        confidence, evidence = self.weight(decision.rules)
        by_score = (evidence is None, -round(confidence if evidence is None else evidence, 9))
        if tiered:
            last = (decision.tier == 0, decision.tier)
            return (*last, *by_score, -decision.priority, decision.name)
        if strategy == "confidence":
            return (*by_score, -decision.priority, decision.name)
        return (-decision.priority, *by_score, decision.name)


def holds(number: float, bounds: Any) -> bool:
    tests = {
        "gt": lambda bound: number > bound,
        "gte": lambda bound: number >= bound,
        "lt": lambda bound: number < bound,
        "lte": lambda bound: number <= bound,
    }
    given = bounds.model_dump(exclude_none=True)
    return all(tests[kind](bound) for kind, bound in given.items())
