"""A SAT solver with a budget, and with reasons: which clauses an impossibility rests on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

ENGINE = "minisat22"
MOST = 100  # literals of a witness that are tried one by one

Literal = int  # a variable, or its negation as a negative number


class Undecided(Exception):
    """The budget is spent; says which."""


@dataclass(frozen=True, slots=True)
class Budget:
    """`seconds` of the processor for all that is asked of one prover, `conflicts` for one
    question."""

    seconds: float = 20.0
    conflicts: int = 50_000


class Prover:
    """Clauses are added at any time. A clause with a `why` counts as part of an explanation."""

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.thread_time) -> None:
        self._budget = budget
        self._clock = clock
        self._ends = clock() + budget.seconds
        self._variables = 0
        self._clauses: list[tuple[tuple[Literal, ...], str]] = []
        self._told = 0
        self._fast: Any = Solver(name=ENGINE)
        self._slow: Any = None
        self._reasons: dict[str, Literal] = {}
        self._model: frozenset[Literal] = frozenset()
        self.true = self.variable()
        self.add(self.true)

    def close(self) -> None:
        for solver in (self._fast, self._slow):
            if solver is not None:
                solver.delete()

    def variable(self) -> Literal:
        self._variables += 1
        return self._variables

    def prefer(self, *literals: Literal) -> None:
        """Let them hold in what is found possible, where either would do."""
        self._fast.set_phases(literals)

    def add(self, *literals: Literal, why: str = "") -> None:
        """At least one of the literals holds."""
        self._clauses.append((literals, why))
        self._fast.add_clause(literals)

    def at_most(
        self, literals: Sequence[Literal], most: int, why: str, unless: Iterable[Literal] = ()
    ) -> None:
        """No more than `most` of them hold, where none of `unless` does."""
        encoded = CardEnc.atmost(
            list(literals), bound=most, top_id=self._variables, encoding=EncType.seqcounter
        )
        self._variables = max(self._variables, encoded.nv)
        for clause in encoded.clauses:
            self.add(*clause, *unless, why=why)

    def gate(self, literals: Sequence[Literal], *, every: bool) -> Literal:
        """A literal that holds exactly where all of them hold, or any of them."""
        if len(literals) == 1:
            return literals[0]
        gate = self.variable()
        sign = 1 if every else -1
        for literal in literals:
            self.add(-sign * gate, sign * literal)
        self.add(sign * gate, *(-sign * literal for literal in literals))
        return gate

    def possible(self, assumed: Sequence[Literal]) -> bool:
        """Raises Undecided."""
        if not self._ask(self._fast, assumed):
            return False
        self._model = frozenset(self._fast.get_model())
        return True

    def held(self, literal: Literal) -> bool:
        """In what the last `possible` found."""
        return literal in self._model

    def core(
        self, fixed: Sequence[Literal], wanted: Sequence[Literal], most: int = MOST
    ) -> list[Literal]:
        """A part of `wanted`, all of which is impossible together with `fixed`, that is so too.
        None of it can be spared, unless it is longer than `most` or half of the time is spent."""
        return self._least(self._fast, fixed, wanted, most)

    def reasons(self, assumed: Sequence[Literal]) -> tuple[str, ...]:
        """Why they are impossible: the fewest reasons, none of which can be spared."""
        if self._slow is None:
            self._slow = Solver(name=ENGINE)
        for literals, why in self._clauses[self._told :]:
            if why and why not in self._reasons:
                self._reasons[why] = self._unused()
            guard = (-self._reasons[why],) if why else ()
            self._slow.add_clause((*map(self._apart, literals), *guard))
        self._told = len(self._clauses)
        names = {literal: why for why, literal in self._reasons.items()}
        kept = self._least(self._slow, [self._apart(one) for one in assumed], [*names], MOST)
        return tuple(names[literal] for literal in kept)

    def _apart(self, literal: Literal) -> Literal:
        """Even numbers; reasons have odd ones, so that both may grow."""
        return 2 * literal

    def _unused(self) -> Literal:
        return 2 * len(self._reasons) + 1

    def _least(
        self,
        solver: Any,  # noqa: ANN401
        fixed: Sequence[Literal],
        wanted: Sequence[Literal],
        most: int,
    ) -> list[Literal]:
        kept = list(wanted)
        if not self._ask(solver, [*fixed, *kept]):
            kept = self._needed(solver, kept)
        hurry = self._clock() > self._ends - self._budget.seconds / 2
        for literal in () if hurry or len(kept) > most else tuple(kept):
            rest = [one for one in kept if one != literal]
            if literal in kept and not self._ask(solver, [*fixed, *rest]):
                kept = self._needed(solver, rest)
        return kept

    def _needed(self, solver: Any, among: Sequence[Literal]) -> list[Literal]:  # noqa: ANN401
        found = frozenset(solver.get_core() or ())
        return [one for one in among if one in found]

    def _ask(self, solver: Any, assumed: Sequence[Literal]) -> bool:  # noqa: ANN401
        if self._clock() > self._ends:
            raise Undecided(
                f"the {self._budget.seconds:g} s of the processor for one recipe are spent"
            )
        solver.conf_budget(self._budget.conflicts)
        found: bool | None = solver.solve_limited(assumptions=list(assumed))
        if found is None:
            raise Undecided(f"not decided within {self._budget.conflicts} conflicts of the solver")
        return found
