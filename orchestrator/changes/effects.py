"""What the change does to the requests, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from orchestrator.changes.costs import Costs
from orchestrator.changes.routing import Outcome, Pair, Routed, Unread
from orchestrator.changes.structure import Structure

NOBODY = "(no decision)"
AS_SENT = "as sent"  # the policy does not touch the request's reasoning
Matrix = Mapping[tuple[str, str], int]  # before and after -> requests


@dataclass(frozen=True, slots=True)
class Effects:
    """Only `compared` pairs are in the matrices, by the names of the new policy.

    `open` ones hang on signals that are unknown (`unknown` counts them): whatever those say,
    `open_same` of these stay the same and `open_surely` change; `open_changed` change if those do
    not match.
    """

    compared: tuple[Pair, ...]
    changed: tuple[Pair, ...]
    open: tuple[Pair, ...]
    open_same: int
    open_surely: int
    open_changed: int
    unread: tuple[Unread, ...]
    decisions: Matrix
    models: Matrix
    reasoning: Matrix
    unknown: Mapping[str, int]
    # algorithm -> requests for which the first candidate stands
    fallbacks: Mapping[str, int]
    not_run: Mapping[str, int]
    costs: Costs

    @property
    def requests(self) -> int:
        return len(self.compared) + len(self.open) + len(self.unread)

    @property
    def unreadable(self) -> tuple[Unread, ...]:
        """What was recorded and is no request."""
        return tuple(one for one in self.unread if not one.understood)


class Names:
    """Tells what changed from what is only called otherwise."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure

    def now(self, outcome: Outcome) -> Outcome:
        """An outcome of the old policy by the names of the new one."""
        recipe, name = self._later(outcome.recipe, outcome.decision)
        candidate = outcome.candidate
        if candidate is not None and candidate.lora is None:
            later = self._structure.models.get(candidate.model, candidate.model)
            candidate = replace(candidate, model=later)
        return replace(outcome, recipe=recipe, decision=name, candidate=candidate)

    def surely_changed(self, pair: Pair) -> bool:
        """Whether no decision that the old policy may take is one that the new may take."""
        old, new = pair.old, pair.new
        before = {self._later(old.recipe, name) for name in (old.decision, *old.rivals)}
        return not before & {(new.recipe, name) for name in (new.decision, *new.rivals)}

    def surely_same(self, pair: Pair) -> bool:
        """Whether both policies choose among the same decisions, and the change touches none."""
        old, new = pair.old, pair.new
        rivals = {self._later(old.recipe, name) for name in old.rivals}
        return (
            not self.changed(pair)
            and rivals == {(new.recipe, name) for name in new.rivals}
            and self._structure.untouched(new.recipe, (new.decision, *new.rivals))
        )

    def _later(self, recipe: str, name: str) -> tuple[str, str]:
        renamed = self._structure.recipes.get(recipe, recipe)
        return self._structure.decisions.get((recipe, name), (renamed, name))

    def changed(self, pair: Pair) -> bool:
        return _seen(self.now(pair.old)) != _seen(pair.new)


def _seen(outcome: Outcome) -> tuple[str, ...]:
    """What of an outcome a client or an operator would notice."""
    place = (outcome.recipe, outcome.decision, outcome.error)
    return (*place, outcome.model, reasoning(outcome))


def split(routed: Routed) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Those that can be compared, and those that hang on what is unknown."""
    certain = tuple(pair for pair in routed.pairs if not (pair.old.unknown or pair.new.unknown))
    unsure = tuple(pair for pair in routed.pairs if pair.old.unknown or pair.new.unknown)
    return certain, unsure


def effects(routed: Routed, structure: Structure, costs: Costs) -> Effects:
    """`costs` are those of the pairs that `split` can compare."""
    names = Names(structure)
    compared, unsure = split(routed)
    return Effects(
        compared=compared,
        changed=tuple(pair for pair in compared if names.changed(pair)),
        open=unsure,
        open_same=sum(map(names.surely_same, unsure)),
        open_surely=sum(map(names.surely_changed, unsure)),
        open_changed=sum(map(names.changed, unsure)),
        unread=routed.unread,
        decisions=_matrix((decision(names.now(p.old)), decision(p.new)) for p in compared),
        models=_matrix((model(names.now(p.old)), model(p.new)) for p in compared),
        reasoning=_matrix((reasoning(p.old), reasoning(p.new)) for p in compared),
        unknown=_unknown(unsure),
        fallbacks=_algorithms({pair.old.fallback, pair.new.fallback} for pair in compared),
        not_run=_algorithms({pair.old.not_run, pair.new.not_run} for pair in compared),
        costs=costs,
    )


def decision(outcome: Outcome) -> str:
    if outcome.error:
        return f"(error {outcome.error})"
    if not outcome.recipe:
        return "(model named)"
    recipe = "" if outcome.recipe == "default" else f"{outcome.recipe}/"
    return recipe + (outcome.decision or NOBODY)


def model(outcome: Outcome) -> str:
    return f"(error {outcome.error})" if outcome.error else outcome.model


def reasoning(outcome: Outcome) -> str:
    """`on`, `on (high)`, `off`, or that the policy leaves it to the request."""
    candidate = outcome.candidate
    if candidate is None or not outcome.decision:
        return AS_SENT
    if not candidate.use_reasoning:
        return "off"
    return f"on ({candidate.reasoning_effort})" if candidate.reasoning_effort else "on"


def _matrix(cells: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    return dict(Counter(cells).most_common())


def _unknown(pairs: Iterable[Pair]) -> dict[str, int]:
    named = (name for pair in pairs for name in {*pair.old.unknown, *pair.new.unknown})
    return dict(sorted(Counter(named).items(), key=lambda item: (-item[1], item[0])))


def _algorithms(pairs: Iterable[set[str]]) -> dict[str, int]:
    named = (name for pair in pairs for name in pair if name)
    return dict(sorted(Counter(named).items()))
