"""Two tables of named things: what came, went, changed, and what only changed its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.changes.change import Change
from orchestrator.changes.renames import pairs
from orchestrator.changes.values import differences

Touches = Callable[[str], tuple[str, ...]]  # name -> decisions
Table = Mapping[str, Any]  # name -> plain content without the name


def _nothing(name: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Compared:
    changes: tuple[Change, ...]
    renames: Mapping[str, str]  # old name -> new name


def compare(
    what: str,
    old: Table,
    new: Table,
    *,
    recipe: str = "",
    before: Touches = _nothing,
    after: Touches = _nothing,
    label: Callable[[str], str] = str,
    twins: tuple[Table, Table] | None = None,
) -> Compared:
    """`before` and `after` tell what a name touches in the old and in the new policy; `twins` are
    contents that must be equal for a rename, where that takes more than those compared.
    """
    renames = pairs(*(twins or (old, new)))
    renamed = {later: earlier for earlier, later in renames.items()}
    changes: list[Change] = []
    for name in old:
        if name not in new and name not in renames:
            changes.append(Change("removed", what, label(name), recipe, touches=before(name)))
    for name, content in new.items():
        if name in renamed:
            was, touches = label(renamed[name]), after(name)
            changes.append(Change("renamed", what, label(name), recipe, was, touches=touches))
        elif name not in old:
            changes.append(Change("added", what, label(name), recipe, touches=after(name)))
        elif found := tuple(differences(old[name], content)):
            touches = tuple(dict.fromkeys((*before(name), *after(name))))
            changed = Change("changed", what, label(name), recipe, fields=found, touches=touches)
            changes.append(changed)
    return Compared(tuple(changes), renames)
