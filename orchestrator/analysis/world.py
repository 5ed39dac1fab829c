"""The facts of one recipe as logic: two bits each, and all that is claimed of them.

A fact is a name in the reading of a family, or a predicate over its number. `holds` and `fails` are
its bits; both never, neither: unknown. Families that keep only their best rules have two readings:
the one that composers see, before they settle, and the one that decisions see, after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from orchestrator.analysis.line import Line
from orchestrator.analysis.policy import Family, Policy
from orchestrator.analysis.prover import Literal, Prover
from orchestrator.claims import AtMost, Claim, Implies, Interval, Number, Reads, Some
from orchestrator.config.decisions import Predicate
from orchestrator.decision.tree import Leaf, Tree, leaves_in, parse
from orchestrator.projections import PROJECTION, SCORE, Fact

UNKNOWN_FAMILY = Family({})


class Fate(NamedTuple):
    holds: Literal
    fails: Literal


class Key(NamedTuple):
    family: str
    name: str
    settled: bool
    predicate: Predicate | None = None


def _forced(claims: Sequence[Claim]) -> Iterator[str]:
    """Names that claims may make hold, also where no tree reads them."""
    rivals = {n for one in claims if isinstance(one, AtMost) for group in one.groups for n in group}
    for claim in claims:
        match claim:
            case Some():
                yield from claim.names
            case Implies():
                yield from (claim.name, claim.other)
            case Reads() if claim.exact and claim.name in rivals:
                yield claim.name


class World:
    """`answered`: assume it, and nothing is unknown that this version can know. `current`: assume
    it, and the rules that this version does not run come to what they come to."""

    def __init__(self, policy: Policy, prover: Prover) -> None:
        self.policy = policy
        self.prover = prover
        self.answered = prover.variable()
        self.current = prover.variable()
        self._inserted = policy.inserted
        self._members = frozenset[Fact]().union(*(one.members for one in policy.projections))
        self._fates: dict[Key, Fate] = {}
        self._known: dict[Key, Literal] = {}
        self._lines: dict[Fact, Line] = {}
        self._leaves: dict[tuple[Leaf, bool], Fate] = {}
        self._names: dict[str, dict[str, None]] = {}  # family -> names that any tree reads
        self._trees: dict[tuple[int, bool, bool], Literal] = {}
        self._kept: list[Tree] = []  # so that no id() is used twice
        parsed = [parse(decision.rules) for decision in policy.decisions]
        self.roots = {d.name: tree for d, tree in zip(policy.decisions, parsed, strict=True)}
        self._read(parsed)
        self._claimed()

    def leaf(self, leaf: Leaf, *, settled: bool = True) -> Fate:
        """As the engine reads it: also by the rule behind its name, and `on_error`."""
        known = self._leaves.get((leaf, settled))
        if known is not None:
            return known
        fates = [self._fate(self._key(leaf, name, settled)) for name in self._targets(leaf)]
        holds = self.prover.gate([fate.holds for fate in fates], every=False)
        fails = self.prover.gate([fate.fails for fate in fates], every=True)
        if leaf.on_error == "match":
            holds = -fails
        elif leaf.on_error == "no_match":
            fails = -holds
        found = self._leaves[leaf, settled] = Fate(holds, fails)
        return found

    def holds(self, tree: Tree, *, settled: bool = True, negated: bool = False) -> Literal:
        """A literal that holds exactly where the tree does, or where its negation does."""
        key = (id(tree), settled, negated)
        if key not in self._trees:
            self._kept.append(tree)
            self._trees[key] = self._gate(tree, settled, negated)
        return self._trees[key]

    def knowing(self) -> dict[Literal, str]:
        """For each fact a literal that keeps it from being unknown, and what it is called."""
        for key, fate in self._fates.items():
            if key not in self._known and not self.policy.never((key.family, key.name)):
                switch = self._known[key] = self.prover.variable()
                self.prover.add(-switch, fate.holds, fate.fails)
        return {switch: f"{key.family}:{key.name}" for key, switch in self._known.items()}

    def _gate(self, tree: Tree, settled: bool, negated: bool) -> Literal:
        if isinstance(tree, Leaf):
            fate = self.leaf(tree, settled=settled)
            return fate.fails if negated else fate.holds
        if tree.operator == "NOT":
            if len(tree.children) == 1:
                return self.holds(tree.children[0], settled=settled, negated=not negated)
            return self.prover.true if negated else -self.prover.true
        every = (tree.operator != "OR") != negated
        inner = [self.holds(one, settled=settled, negated=negated) for one in tree.children]
        if not inner:
            return self.prover.true if every else -self.prover.true
        return self.prover.gate(inner, every=every)

    def _targets(self, leaf: Leaf) -> tuple[str, ...]:
        rule = self._family(leaf.family).leaves.get(leaf.name, leaf.name)
        return (leaf.key,) if rule == leaf.name else (leaf.key, rule)

    def _key(self, leaf: Leaf, name: str, settled: bool) -> Key:
        whole = settled or self._family(leaf.family).most is None
        return Key(leaf.family, name, whole, leaf.predicate)

    def _family(self, name: str) -> Family:
        return self.policy.families.get(name, UNKNOWN_FAMILY)

    def _fate(self, key: Key) -> Fate:
        if key not in self._fates:
            fate = self._fates[key] = Fate(self.prover.variable(), self.prover.variable())
            self.prover.add(-fate.holds, -fate.fails)
            self.prover.prefer(-fate.holds, fate.fails)
            self._idle(key, fate)
            if key.predicate is not None:
                self._compared(key, key.predicate, fate)
            elif key.name not in self._family(key.family).leaves:
                self.prover.add(-fate.holds)  # only behind a name, never a match itself
            elif key.settled and self._family(key.family).most is not None:
                before = self._fate(key._replace(settled=False))
                self.prover.add(-fate.holds, before.holds)
                self.prover.add(-before.fails, fate.fails)
        return self._fates[key]

    def _idle(self, key: Key, fate: Fate) -> None:
        fact = (key.family, key.name)
        idle = self.policy.never(fact)
        why = f"{key.family}:{key.name} is not run"
        if idle and self.policy.not_run == "unknown":
            self.prover.add(-self.current, -fate.holds, why=why)
            self.prover.add(-self.current, -fate.fails, why=why)
            self.prover.add(-self.answered, self.current, fate.holds, fate.fails)
            return
        if idle:
            self.prover.add(-self.current, fate.fails, why=why)
        self.prover.add(-self.answered, fate.holds, fate.fails)

    def _compared(self, key: Key, predicate: Predicate, fate: Fate) -> None:
        numbers = self._family(key.family).numbers
        number = numbers.get(key.name, Number(key.name))
        if number is None:
            self.prover.add(-fate.holds, why=f"{key.family}:{key.name} has no number")
            return
        inside = self._line(key.family, number).inside(Interval.of(**predicate.model_dump()))
        self.prover.add(-fate.holds, inside)
        if number.always:
            self.prover.add(-fate.fails, -inside)
        if number.of_match:
            self.prover.add(-fate.holds, self._fate(key._replace(predicate=None)).holds)

    def _line(self, family: str, number: Number) -> Line:
        fact = (family, number.key)
        if fact not in self._lines:
            score = (SCORE, number.key)
            spans, now = self.policy.spans, self.policy.spans_now
            score_of = family == PROJECTION and score in spans
            within = spans[score] if score_of else number.within
            line = self._lines[fact] = Line(self.prover, number, within)
            if score_of and now[score] != within:
                why = f"{number.called} is {now[score]} without the rules that are not run"
                self.prover.add(-self.current, line.inside(now[score]), why=why)
        return self._lines[fact]

    def _read(self, trees: Iterable[Tree]) -> None:
        """Note the names that trees read, those of composers too, and tie composers to rules."""
        for tree in trees:
            for leaf in leaves_in(tree):
                self._names.setdefault(leaf.family, {}).update(dict.fromkeys(self._targets(leaf)))
        for family, names in [*self._names.items()]:
            known = self._family(family)
            names.update(dict.fromkeys(_forced(known.claims)))
            for rule, node in known.composers.items():
                own = [name for name in names if known.rule(name) == rule]
                if own:
                    self._composed(family, own, rule, parse(node))

    def _composed(self, family: str, names: Sequence[str], rule: str, tree: Tree) -> None:
        for leaf in leaves_in(tree):
            self._names.setdefault(leaf.family, {}).update(dict.fromkeys(self._targets(leaf)))
        condition = self.holds(tree, settled=False)
        for name in names:
            holds = self._plain(family, name).holds
            self.prover.add(-holds, condition, why=f"{family}:{rule} has a composer")

    def _claimed(self) -> None:
        for family, known in self.policy.families.items():
            if family == PROJECTION or family in self._names:
                for claim in known.claims:
                    self._claim(family, claim, own=True)
        for one in self.policy.projections:
            others = (other for other in self.policy.projections if other is not one)
            if not any(one.members & other.members for other in others):
                for family, claim in one.claims():
                    if family != PROJECTION:
                        self._claim(family, claim, own=False)
        for family, names in self._names.items():
            most = self._family(family).most
            used = [name for name in names if name in self._family(family).leaves]
            if most is not None and most.rules < len(used):
                literals = [self._fate(Key(family, name, True)).holds for name in used]
                why = f"of {family} rules {most.rules} match at a time, by {most.setting}"
                self.prover.at_most(literals, most.rules, why)

    def _claim(self, family: str, claim: Claim, *, own: bool) -> None:
        """`own`: it is about the reading of the family before partitions and composers."""
        known = self._family(family)
        match claim:
            case AtMost():
                names = {name for group in claim.groups for name in group}
                if not own or not self._any(family, names, self._inserted):
                    self._at_most(family, claim)
            case Some():
                lost = own and self._removed(family, claim.names)
                idle = any(known.rule(name) in known.idle for name in claim.names)
                used = self._used(family, claim.names) == list(claim.names)
                if used and not lost and not idle:
                    fails = [self._plain(family, name).fails for name in claim.names]
                    self.prover.add(*(-one for one in fails), why=claim.why)
            case Implies():
                names = {claim.name, claim.other}
                if not self._removed(family, names) and len(self._used(family, names)) == len(
                    names
                ):
                    first, second = (self._plain(family, n) for n in (claim.name, claim.other))
                    self.prover.add(-first.holds, -second.fails, why=claim.why)
            case Reads():
                if self._used(family, [claim.name]):
                    self._reads(family, claim)

    def _at_most(self, family: str, claim: AtMost) -> None:
        groups = [used for group in claim.groups if (used := self._used(family, group))]
        if len(groups) <= claim.most:
            return
        lapses: list[Literal] = []
        for name in sorted(claim.lapses):
            fate, lapse = self._plain(family, name), self.prover.variable()
            self.prover.add(-lapse, -fate.holds)
            self.prover.add(-lapse, -fate.fails)
            lapses.append(lapse)
        unless = [self.prover.gate(lapses, every=False)] if lapses else []
        held = [
            self.prover.gate([self._plain(family, n).holds for n in group], every=False)
            for group in groups
        ]
        self.prover.at_most(held, claim.most, claim.why, unless)

    def _reads(self, family: str, claim: Reads) -> None:
        fact = (family, claim.name)
        if fact in self._inserted:
            return
        fate, line = self._plain(family, claim.name), self._line(family, claim.number)
        inside, outside = line.inside(claim.within), [line.inside(one) for one in claim.outside]
        but = f" and not {' or '.join(map(str, claim.outside))}" if claim.outside else ""
        needs = f"{family}:{claim.name} needs {claim.number.called} {claim.within}{but}"
        why = claim.why or needs
        self.prover.add(-fate.holds, inside, why=why)
        for other in outside:
            self.prover.add(-fate.holds, -other, why=why)
        composed = self._family(family).rule(claim.name) in self._family(family).composers
        if claim.exact and fact not in self._members and not composed:
            self.prover.add(-fate.fails, -inside, *outside, why=why)

    def _plain(self, family: str, name: str) -> Fate:
        """Before the family settles."""
        return self._fate(Key(family, name, self._family(family).most is None))

    def _used(self, family: str, names: Iterable[str]) -> list[str]:
        read = self._names.get(family, {})
        return [name for name in names if name in read]

    def _removed(self, family: str, names: Iterable[str]) -> bool:
        """Whether a partition or a composer may take one of them out of the reading."""
        known = self._family(family)
        composed = any(known.rule(name) in known.composers for name in names)
        return composed or self._any(family, names, self._members)

    def _any(self, family: str, names: Iterable[str], among: frozenset[Fact]) -> bool:
        return any((family, name) in among for name in names)
