"""A verdict for every decision of a recipe, and for its default model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from orchestrator.analysis.policy import Policy
from orchestrator.analysis.precedence import ranked, tied
from orchestrator.analysis.prover import Budget, Literal, Prover, Undecided
from orchestrator.analysis.verdict import DeadCondition, DefaultUse, Kind, Report, Verdict
from orchestrator.analysis.witness import conflict, demands, known, way, written
from orchestrator.analysis.world import World
from orchestrator.config.decisions import Decision
from orchestrator.config.document import Path
from orchestrator.config.leaves import nodes
from orchestrator.decision.tree import Leaf, leaves_in, parse
from orchestrator.projections import PROJECTION

LARGEST = 200_000  # conditions of a recipe; beyond that, it is not analysed
BUDGET = Budget()
FEW = 400  # leaves among which it is looked for what must not hold
MOST_UNKNOWN = 12  # facts that a verdict hangs on, of which none is spared
MOST_TIES = 20  # decisions of equal rank that one is compared with


def analyse(policy: Policy, budget: Budget = BUDGET) -> Report:
    """Never raises for want of time: what is not decided by then is `not_analysed`."""
    size = sum(1 for d in policy.decisions for _ in leaves_in(parse(d.rules)))
    if size > LARGEST:
        return _nothing(policy, f"{size} conditions are more than {LARGEST}")
    prover = Prover(budget)
    try:
        return _judged(policy, prover)
    except Undecided as spent:
        return _nothing(policy, str(spent))
    finally:
        prover.close()


def _nothing(policy: Policy, why: str) -> Report:
    verdicts = tuple(
        Verdict(decision.name, _path(policy, at), "not_analysed", because=(why,))
        for at, decision in enumerate(policy.decisions)
    )
    return Report(policy.name, _decisions(policy), verdicts, "not_analysed")


def _judged(policy: Policy, prover: Prover) -> Report:
    """Raises Undecided before any decision was judged."""
    world = World(policy, prover)
    judge = Judge(world)
    found: dict[str, Verdict] = {}
    for group in ranked(policy.decisions, policy.strategy):
        for decision in group:
            found[decision.name] = judge.verdict(decision, group)
        judge.after(group, found)
    verdicts = tuple(found[decision.name] for decision in policy.decisions)
    default, covering = judge.default()
    told = {verdict.conflict for verdict in verdicts if verdict.kind == "unreachable"}
    dead = tuple(one for one in judge.dead() if (one.condition,) not in told)
    return Report(policy.name, _decisions(policy), verdicts, default, covering, dead)


class Judge:
    """Decisions are asked for in the order of their rank; `after` each group of equal rank."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._prover = world.prover
        self._places = {d.name: at for at, d in enumerate(world.policy.decisions)}
        self._above: dict[Literal, Decision] = {}  # "does not match" -> who
        self._any = -world.prover.true  # one of those above matches
        self._leaves: dict[Leaf, None] = {}  # of those above
        answered, current = world.answered, world.current
        if not self._prover.possible([answered, current]):
            raise Undecided("what the signals claim contradicts itself")
        self._fixed = [answered, current]

    def verdict(self, decision: Decision, group: Sequence[Decision]) -> Verdict:
        path = _path(self._world.policy, self._places[decision.name])
        bare = Verdict(decision.name, path, "reachable")
        try:
            return self._impossible(bare, decision) or self._possible(bare, decision, group)
        except Undecided as spent:
            return replace(bare, kind="not_analysed", because=(str(spent),))

    def after(self, group: Sequence[Decision], found: Mapping[str, Verdict]) -> None:
        """Those that never win are no witnesses: where one matches, another goes before it."""
        held = [self._holds(decision) for decision in group]
        self._any = self._prover.gate([self._any, *held], every=False)
        for literal, decision in zip(held, group, strict=True):
            if found[decision.name].kind in ("reachable", "not_analysed"):
                self._above[-literal] = decision
        for decision in group:
            self._leaves |= dict.fromkeys(leaves_in(self._world.roots[decision.name]))

    def default(self) -> tuple[DefaultUse, tuple[str, ...]]:
        """After all groups."""
        try:
            if not self._prover.possible([*self._fixed, -self._any]):
                core = self._prover.core(self._fixed, [*self._above])
                return "never", tuple(self._above[literal].name for literal in core)
            if self._places and not self._prover.possible([*self._fixed, self._any]):
                return "always", ()
        except Undecided:
            return "not_analysed", ()
        return "sometimes", ()

    def dead(self) -> Iterator[DeadCondition]:
        """As far as time allows."""
        try:
            yield from self._dead()
        except Undecided:
            return

    def _dead(self) -> Iterator[DeadCondition]:
        for leaf, path in _first_places(self._world.policy).items():
            holds = self._world.leaf(leaf).holds
            if not self._prover.possible([holds]):
                yield DeadCondition(written(leaf), path, self._prover.reasons([holds]))

    def _holds(self, decision: Decision) -> Literal:
        return self._world.holds(self._world.roots[decision.name])

    def _impossible(self, bare: Verdict, decision: Decision) -> Verdict | None:
        tree, holds = self._world.roots[decision.name], self._holds(decision)
        answered = self._world.answered
        worlds: tuple[tuple[Kind, list[Literal]], ...] = (
            ("unreachable", []),
            ("unreachable", [answered]),
            ("not_run", self._fixed),
        )
        for kind, fixed in worlds:
            if not self._prover.possible([holds, *fixed]):
                demanded, why = conflict(self._world, tree, fixed)
                unless = self._unless([holds]) if kind == "unreachable" and fixed else ()
                found = replace(bare, kind=kind, conflict=demanded, because=why)
                return replace(found, unless_unknown=unless)
        return None

    def _possible(self, bare: Verdict, decision: Decision, group: Sequence[Decision]) -> Verdict:
        holds, fixed = self._holds(decision), self._fixed
        bare = replace(bare, fails_open=self._opens(decision))
        if not self._prover.possible([holds, *fixed, -self._any]):
            core = self._prover.core([holds, *fixed], [*self._above])
            by = tuple(self._above[literal].name for literal in core)
            current = self._world.current
            alone = [holds, current, *core]
            unless = self._unless(alone) if self._prover.possible(alone) else ()
            return replace(bare, kind="shadowed", by=by, unless_unknown=unless)
        found = self._winning(bare, decision)
        always = not self._prover.possible([*fixed, -holds])
        return replace(found, always=always, ties=self._ties(decision, group))

    def _winning(self, bare: Verdict, decision: Decision) -> Verdict:
        """From the last answer of the prover: what makes it match, and no other before it."""
        holds, fixed = self._holds(decision), self._fixed
        own = known(self._world, [*dict.fromkeys(leaves_in(self._world.roots[decision.name]))])
        others = known(self._world, [*self._leaves]) if len(self._leaves) <= FEW else {}
        mine = way(self._world, own, [*fixed, -holds])
        if not others or self._any == -self._prover.true:
            return replace(bare, holds=mine.holds, fails=mine.fails)
        needed = {one for one in own if written(own[one][0]) in mine.holds + mine.fails}
        rest = {literal: told for literal, told in others.items() if literal not in needed}
        apart = way(self._world, rest, [*fixed, *needed, self._any])
        return replace(bare, holds=(*mine.holds, *apart.holds), fails=(*mine.fails, *apart.fails))

    def _ties(self, decision: Decision, group: Sequence[Decision]) -> tuple[str, ...]:
        others = tied(decision, group, self._world.policy.strategy)[:MOST_TIES]
        both = [self._holds(decision), *self._fixed, -self._any]
        return tuple(o.name for o in others if self._prover.possible([*both, self._holds(o)]))

    def _opens(self, decision: Decision) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for leaf, negated in demands(self._world.roots[decision.name]):
            known_of = self._world.policy.families.get(leaf.family)
            passes = known_of is not None and known_of.rule(leaf.name) in known_of.lets_pass
            if negated or leaf.on_error == "match":
                continue
            if passes:
                found[written(leaf)] = None
            if leaf.family == PROJECTION:
                guards = self._world.policy.guards_behind.get(leaf.name, ())
                found |= {f"{guard} (through {written(leaf)})": None for guard in guards}
        return tuple(found)

    def _unless(self, assumed: Sequence[Literal]) -> tuple[str, ...]:
        """Facts of which one is unknown wherever all of `assumed` is possible."""
        switches = self._world.knowing()
        core = self._prover.core(assumed, [*switches], MOST_UNKNOWN)
        return tuple(switches[literal] for literal in core)


def _first_places(policy: Policy) -> dict[Leaf, Path]:
    found: dict[Leaf, Path] = {}
    for at, decision in enumerate(policy.decisions):
        path = (*_path(policy, at), "rules")
        for place, node in nodes(decision.rules, path) if decision.rules else ():
            if node.type is not None:
                leaf = parse(node)
                if isinstance(leaf, Leaf):
                    found.setdefault(leaf, place)
    return found


def _decisions(policy: Policy) -> Path:
    return (*policy.path, "decisions")


def _path(policy: Policy, at: int) -> Path:
    return (*_decisions(policy), at)
