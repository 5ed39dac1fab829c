"""What the analysis says. Plain values; conditions are written `family:name`, as leaves are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from orchestrator.config.document import Path

Kind: TypeAlias = Literal["reachable", "unreachable", "not_run", "shadowed", "not_analysed"]
DefaultUse: TypeAlias = Literal["sometimes", "never", "always", "not_analysed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one decision, and its witness.

    reachable: `holds` and `fails` are one way for it to win. unreachable, not_run: `conflict` are
    conditions that the tree needs and that never come true together, `because` is why. shadowed:
    `by` are decisions of which one always goes before it. `unless_unknown`: the verdict stands
    unless one of these is unknown. `because` of not_analysed is the reason.
    """

    decision: str
    path: Path
    kind: Kind
    holds: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    unless_unknown: tuple[str, ...] = ()
    always: bool = False  # its tree holds for every request, while all signals answer
    ties: tuple[str, ...] = ()  # of equal rank, and both may match at once
    fails_open: tuple[
        str, ...
    ] = ()  # guards that it needs and that let pass what they cannot judge


@dataclass(frozen=True, slots=True)
class DeadCondition:
    """A condition that no request meets; `path` is where it stands first."""

    condition: str
    path: Path
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Of one recipe. `covering`: decisions of which one always matches, where the default model is
    never used."""

    recipe: str
    path: Path  # of its decisions
    verdicts: tuple[Verdict, ...]
    default: DefaultUse
    covering: tuple[str, ...] = ()
    dead: tuple[DeadCondition, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """Conditions that are enough for a tree; none can be spared."""

    holds: tuple[str, ...]
    fails: tuple[str, ...]
