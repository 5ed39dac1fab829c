"""One recipe against another: rules of signals, projections, decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from orchestrator.app.policies import Blueprint
from orchestrator.changes.change import Change
from orchestrator.changes.renames import Renames, applied, rewritten
from orchestrator.changes.tables import compare
from orchestrator.changes.trees import canonical, expression
from orchestrator.changes.usage import Usage, usage_of
from orchestrator.changes.values import FieldChange, plain
from orchestrator.config.decisions import Decision
from orchestrator.projections import SCORE
from orchestrator.selection import WITHOUT_ALGORITHM

MODEL = "model"  # kind of renames, beside families of signals
DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Both:
    """A recipe as it was and as it is, and what else is known to be called otherwise."""

    name: str
    old: Blueprint
    new: Blueprint
    renames: Mapping[tuple[str, str], str]


def routing_changes(both: Both) -> tuple[tuple[Change, ...], Renames]:
    """Changes of the recipe, and the renames in it: of rules, of scores (SCORE), of DECISIONs."""
    before, after = usage_of(both.old), usage_of(both.new)
    renames: Renames = dict(both.renames)
    changes = [
        *_signals(both, before, after, renames),
        *_rows(both, before, after, renames),
        *_strategy(both),
        *_decisions(both, renames),
    ]
    return tuple(changes), renames


def _signals(both: Both, before: Usage, after: Usage, renames: Renames) -> Iterator[Change]:
    for family in dict.fromkeys((*both.old.rules, *both.new.rules)):
        tables = [
            {rule.name: _unnamed(rule) for rule in blueprint.rules.get(family, ())}
            for blueprint in (both.old, both.new)
        ]
        found = compare(
            "signal",
            rewritten(tables[0], renames),
            tables[1],
            recipe=both.name,
            before=partial(before.of_rule, family),
            after=partial(after.of_rule, family),
            label=f"{family}:{{}}".format,
        )
        renames.update({(family, was): name for was, name in found.renames.items()})
        yield from found.changes


def _rows(both: Both, before: Usage, after: Usage, renames: Renames) -> Iterator[Change]:
    for section in both.new.rows:
        rows = [
            {row.name: row for row in blueprint.rows[section] if row is not None}
            for blueprint in (both.old, both.new)
        ]
        tables = [{name: _unnamed(row) for name, row in own.items()} for own in rows]
        found = compare(
            "projection",
            {name: _renamed_row(one, renames) for name, one in tables[0].items()},
            tables[1],
            recipe=both.name,
            before=partial(_touched, before, section, rows[0], both.old),
            after=partial(_touched, after, section, rows[1], both.new),
            label=f"{section}:{{}}".format,
        )
        kind = SCORE if section == "scores" else section
        renames.update({(kind, was): name for was, name in found.renames.items()})
        yield from found.changes


def _touched(
    usage: Usage, section: str, rows: Mapping[str, Any], blueprint: Blueprint, name: str
) -> tuple[str, ...]:
    return usage.of_row(section, rows[name], blueprint)


def _renamed_row(row: Any, renames: Renames) -> Any:  # noqa: ANN401 - plain data
    """References to rules by type and name, to scores by `source`, to members of a partition."""
    changed = rewritten(row, renames)
    if isinstance(changed.get("source"), str):
        changed["source"] = renames.get((SCORE, changed["source"]), changed["source"])
    if isinstance(changed.get("members"), list):
        named = {was: name for (family, was), name in renames.items() if family != SCORE}
        changed["members"] = [named.get(member, member) for member in changed["members"]]
        changed["default"] = named.get(changed.get("default"), changed.get("default"))
    return changed


def _strategy(both: Both) -> Iterator[Change]:
    old, new = (one.profile.routing.strategy for one in (both.old, both.new))
    if old != new:
        touches = tuple(decision.name for decision in both.new.profile.routing.decisions)
        fields = (FieldChange("strategy", old, new),)
        yield Change("changed", "setting", "strategy", both.name, fields=fields, touches=touches)


def _decisions(both: Both, renames: Renames) -> Iterator[Change]:
    old, new = (one.profile.routing.decisions for one in (both.old, both.new))
    written = {
        False: {one.name: expression(one.rules) for one in old},
        True: {one.name: expression(one.rules) for one in new},
    }
    found = compare(
        DECISION,
        {one.name: _content(one, renames) for one in old},
        {one.name: _content(one, {}) for one in new},
        recipe=both.name,
    )
    renames.update({(DECISION, was): name for was, name in found.renames.items()})
    rivals = _rivals(new)
    for change in found.changes:
        fields = tuple(
            FieldChange("rules", written[False][change.name], written[True][change.name])
            if field.path == "rules"
            else field
            for field in change.fields
        )
        note = rivals.get(change.name, "") if _orders(change) else ""
        yield replace(change, fields=fields, note=note)


def _content(decision: Decision, renames: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """What the decision does, evened out where two ways of writing do the same."""

    def rename(family: str, name: str) -> str:
        return applied(renames, family, name)

    content = _unnamed(decision)
    content["rules"] = canonical(decision.rules, rename)
    content["algorithm"] = plain(decision.algorithm) or {"type": WITHOUT_ALGORITHM}
    for ref in content["modelRefs"]:
        ref["model"] = renames.get((MODEL, ref["model"]), ref["model"])
        ref["use_reasoning"] = bool(ref["use_reasoning"])
        ref["weight"] = 1.0 if ref["weight"] is None else ref["weight"]
    return content


def _orders(change: Change) -> bool:
    """Whether it may change who wins a tie: the name decides there, the place in the file never."""
    return change.kind != "changed" or any(f.path in ("priority", "tier") for f in change.fields)


def _rivals(decisions: tuple[Decision, ...]) -> dict[str, str]:
    groups: dict[tuple[int, int], list[str]] = {}
    for decision in decisions:
        groups.setdefault((decision.tier, decision.priority), []).append(decision.name)
    return {
        name: f"same priority as {', '.join(other for other in group if other != name)}:"
        " confidence, then the name, decides"
        for group in groups.values()
        for name in group
        if len(group) > 1
    }


def _unnamed(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of any kind
    return {key: value for key, value in plain(model).items() if key != "name"}
