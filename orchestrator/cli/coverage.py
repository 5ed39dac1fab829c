"""What `tsr probe --coverage` knows of the policy beyond its answers, and what it prints."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from orchestrator.app.policies import Blueprint, Compiled
from orchestrator.choosing.building import method_of
from orchestrator.config.document import dotted
from orchestrator.errors import RouterError
from orchestrator.pipeline import Policy
from orchestrator.probes import coverage_report
from orchestrator.probes.coverage import Key, cover
from orchestrator.probes.demands import Inventory, assertions, shortfalls, unexercised
from orchestrator.probes.load import Probe
from orchestrator.probes.runner import Result
from orchestrator.probes.schema import ProbeFile
from orchestrator.projections import PROJECTION, outputs
from orchestrator.signals import SIGNALS
from orchestrator.types import Facts

Files = Sequence[tuple[ProbeFile, tuple[Probe, ...]]]


@dataclass(frozen=True, slots=True)
class Plan:
    """A policy file as coverage needs it: see `coverage.cover` and `demands.Inventory`."""

    skeletons: Mapping[str, Sequence[Any]]
    paths: Mapping[Key, str]
    inventory: Inventory


FLOORS = ("decisions", "leaves", "branches")  # of `coverage.Coverage.totals`


def floors(values: Sequence[str] | None) -> dict[str, float]:
    """`decisions=100,leaves=80` and the like to percents. Raises typer.BadParameter."""
    found: dict[str, float] = {}
    for part in (part for value in values or () for part in value.split(",")):
        name, _, number = part.strip().partition("=")
        if name not in FLOORS:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(FLOORS)}")
        try:
            found[name] = float(number.removesuffix("%"))
        except ValueError:
            found[name] = -1.0
        if not 0 <= found[name] <= 100:
            raise typer.BadParameter(f"{name}: {number!r} is no percentage from 0 to 100")
    return found


def plan_of(compiled: Compiled, policies: Mapping[str, Policy]) -> Plan:
    profiles = [blueprint.profile for blueprint in compiled.blueprints]
    placed = [
        ((profile.name, decision.name), dotted((*profile.path, "decisions", index, "rules")))
        for profile in profiles
        for index, decision in enumerate(profile.routing.decisions)
    ]
    decided = [
        (profile.name, decision) for profile in profiles for decision in profile.routing.decisions
    ]
    inventory = Inventory(
        signals=frozenset(name for one in compiled.blueprints for name in _signals(one)),
        algorithms=frozenset((recipe, one.name, method_of(one)) for recipe, one in decided),
        plugins=frozenset((r, one.name, p.type) for r, one in decided for p in one.plugins),
        rules={leaf: rule for one in compiled.blueprints for leaf, rule in _leaves(one).items()},
    )
    skeletons = {name: policy.engine.trace(Facts()) for name, policy in policies.items()}
    return Plan(skeletons, dict(placed), inventory)


def show(
    console: Console,
    files: Files,
    results: Sequence[Result],
    plan: Plan | None,
    path: Path | None,
    floors: Mapping[str, float],
) -> bool:
    """Print the coverage of all files together, write it to `path` if there is one. Are the
    minimums of every file's `coverage`, and `floors` of all together, reached?

    Raises RouterError where the file cannot be written.
    """
    answers = [result.answer for result in results if result.answer is not None]
    found = cover(answers, plan.skeletons, plan.paths) if plan else cover(answers)
    probes = [probe for _, own in files for probe in own]
    asserted = assertions(probes, plan.inventory) if plan else None
    coverage_report.show(console, found, asserted)
    inventory = plan.inventory if plan else None
    lacking = [
        f"{file.name}: {lack}" for file, own in files for lack in shortfalls(file, own, inventory)
    ]
    lacking += unexercised(floors, found)
    for lack in lacking:
        console.print(Text(f"not accepted: {lack}", style="red"), soft_wrap=True)
    if path is not None:
        answer = {**coverage_report.as_json(found, asserted), "not_accepted": lacking}
        try:
            path.write_text(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise RouterError(f"cannot write {path}: {error.strerror}") from None
    return not lacking


def _signals(blueprint: Blueprint) -> list[str]:
    rules = [
        f"{SIGNALS[family].results}:{rule.name}"
        for family, own in blueprint.rules.items()
        for rule in own
    ]
    return [*rules, *(f"{PROJECTION}:{name}" for name in outputs(blueprint.rows))]


def _leaves(blueprint: Blueprint) -> dict[str, str]:
    return {
        f"{SIGNALS[family].results}:{leaf}": f"{SIGNALS[family].results}:{rule}"
        for family, own in blueprint.rules.items()
        for leaf, rule in SIGNALS[family].leaves(own).items()
    }
