"""What of a policy the probes exercise, read off the traces of /api/v1/eval.

A decision is exercised once it has won; a condition of its tree (a leaf, or AND, OR and NOT over
others) once it has been seen true and once false. A condition that was *unknown* was not seen.
Answers count whether the probe passed or not: the checks say what is right, this says what ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.probes.comparison import Answer, decision_of

Key = tuple[str, str]  # recipe, decision
Trace = Sequence[Any]  # `eval_trace`
DEFAULT_RECIPE = "default"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; nothing to cover is covered."""

    seen: int
    of: int

    @property
    def percent(self) -> float:
        return 100.0 * self.seen / self.of if self.of else 100.0

    def __add__(self, other: Share) -> Share:
        return Share(self.seen + other.seen, self.of + other.of)


@dataclass(slots=True)
class Condition:
    """One node of a tree. `path` is its place in the YAML file; `what` a signal or an operator."""

    path: str
    what: str
    leaf: bool
    possible: frozenset[str]  # of match and no_match
    counts: dict[str, int] = field(default_factory=lambda: {"match": 0, "no_match": 0})
    unknown: int = 0

    @property
    def share(self) -> Share:
        seen = sum(1 for state in self.possible if self.counts[state])
        return Share(seen, len(self.possible))

    @property
    def missing(self) -> str:
        """`never true`, `never false`, `never seen`, or nothing."""
        lacking = [state for state in sorted(self.possible) if not self.counts[state]]
        if not lacking:
            return ""
        if len(lacking) == 2:
            return "never seen" if not self.unknown else "only ever unknown"
        return "never true" if lacking == ["match"] else "never false"


@dataclass(slots=True)
class Covered:
    """One decision. `won` and `matched` count answers."""

    recipe: str
    decision: str
    path: str
    won: int = 0
    matched: int = 0
    conditions: dict[str, Condition] = field(default_factory=dict)  # by place under the tree

    def share(self, leaf: bool) -> Share:
        own = (one.share for one in self.conditions.values() if one.leaf == leaf)
        return sum(own, Share(0, 0))


@dataclass(frozen=True, slots=True)
class Coverage:
    """`answers` is the number of requests; decisions are in the policy's order, as far as known."""

    answers: int
    decisions: tuple[Covered, ...]

    @property
    def won(self) -> Share:
        return Share(sum(1 for one in self.decisions if one.won), len(self.decisions))

    def share(self, leaf: bool) -> Share:
        return sum((one.share(leaf) for one in self.decisions), Share(0, 0))

    @property
    def totals(self) -> dict[str, Share]:
        """By what is exercised: decisions that won, conditions that were seen true and false."""
        return {
            "decisions": self.won,
            "leaves": self.share(leaf=True),
            "branches": self.share(leaf=False),
        }


def cover(
    answers: Iterable[Answer],
    skeletons: Mapping[str, Trace] | None = None,
    paths: Mapping[Key, str] | None = None,
) -> Coverage:
    """`skeletons` are the traces of no request at all, by recipe: they name the decisions that no
    answer does. `paths` are the places of trees in the YAML file; without, a tree is placed by its
    decision's name. Both need the policy at hand.
    """
    table: dict[Key, Covered] = {}
    places = paths or {}
    for recipe, trace in (skeletons or {}).items():
        for entry in _entries(trace):
            _add(_row(table, recipe, entry, places), entry, count=False)
    number = 0
    for answer in answers:
        number += 1
        recipe = str(answer.get("recipe") or DEFAULT_RECIPE)
        winner = decision_of(answer)
        for entry in _entries(answer.get("eval_trace")):
            row = _row(table, recipe, entry, places)
            row.won += entry["decision_name"] == winner
            row.matched += _state(entry) == "match"
            _add(row, entry, count=True)
    return Coverage(number, tuple(table.values()))


def _entries(trace: object) -> Iterator[Mapping[str, Any]]:
    for entry in trace if isinstance(trace, list | tuple) else ():
        if isinstance(entry, dict) and entry.get("decision_name"):
            yield entry


def _row(
    table: dict[Key, Covered], recipe: str, entry: Mapping[str, Any], paths: Mapping[Key, str]
) -> Covered:
    key = (recipe, str(entry["decision_name"]))
    if key not in table:
        here = key[1] if recipe == DEFAULT_RECIPE else f"{recipe}.{key[1]}"
        table[key] = Covered(*key, paths.get(key, f"decisions[{here}].rules"))
    return table[key]


def _add(row: Covered, entry: Mapping[str, Any], count: bool) -> None:
    root = entry.get("root_trace")
    for place, node in _nodes(root, "") if isinstance(root, dict) else ():
        if place not in row.conditions:
            row.conditions[place] = _condition(row.path + place, node)
        condition, state = row.conditions[place], _state(node)
        if count and state in condition.counts:
            condition.counts[state] += 1
        elif count:
            condition.unknown += 1


def _nodes(node: Mapping[str, Any], place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield place, node
    children = node.get("children")
    for index, child in enumerate(children if isinstance(children, list) else ()):
        if isinstance(child, dict):
            yield from _nodes(child, f"{place}.conditions[{index}]")


def _condition(path: str, node: Mapping[str, Any]) -> Condition:
    family = node.get("signal_type")
    if family:
        parts = (family, node.get("signal_name"), node.get("label"))
        what = ":".join(str(part) for part in parts if part)
        return Condition(path, what, True, frozenset({"match", "no_match"}))
    operator = str(node.get("node_type") or "?")
    possible = {"match", "no_match"}
    if not node.get("children"):  # what has no conditions never changes
        possible = {"no_match"} if operator.upper() in ("OR", "NOT") else {"match"}
    return Condition(path, operator, False, frozenset(possible))


def _state(node: Mapping[str, Any]) -> str:
    """A router without three values says `matched` alone."""
    state = node.get("state")
    if isinstance(state, str):
        return state
    return "match" if node.get("matched") else "no_match"
