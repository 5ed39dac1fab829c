"""A policy file to compiled policies: every row checked by the extension that owns it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator import projections, selection, signals
from orchestrator.config import check, leaves, order
from orchestrator.config.load import Loaded, internal_listener, load
from orchestrator.config.problems import Check, Finding
from orchestrator.config.schema import Config, Profile, profiles, strategy
from orchestrator.config.unused import unused
from orchestrator.decision.engine import Engine
from orchestrator.errors import Problem
from orchestrator.evaluation import Evaluation, Observe
from orchestrator.inference import Inference
from orchestrator.pipeline import Policy
from orchestrator.projections import PROJECTION, Known, Row
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS, Rule, Signal, Surroundings
from orchestrator.types import Candidate

ENCODERS = ("all-MiniLM-L6-v2",)  # values of embedding_config.model_type that we do run
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Blueprint:
    """One recipe, checked but not yet connected to a model server."""

    profile: Profile
    rules: Mapping[str, tuple[Rule, ...]]  # family -> its valid rules
    rows: Mapping[str, tuple[Row | None, ...]]  # section of projections -> its rows
    known: Known


@dataclass(frozen=True, slots=True)
class Compiled:
    """A usable policy file. `warnings` include all that it asks for and we do not run."""

    loaded: Loaded
    blueprints: tuple[Blueprint, ...]
    warnings: tuple[Problem, ...]

    @property
    def config(self) -> Config:
        return self.loaded.config


def discover_extensions() -> None:
    for package in (signals, projections, selection):
        discover(package)


def compile_file(path: Path) -> Compiled:
    """Raises ConfigError with every problem of the file."""
    return compile_policies(load(path))


def compile_policies(loaded: Loaded) -> Compiled:
    discover_extensions()
    config, checks = loaded.config, loaded.check()
    checks.add(check.references(config, encoders=ENCODERS, internal_listener=internal_listener()))
    checks.add(order.order(config))
    blueprints = tuple(_blueprint(profile, checks) for profile in profiles(config))
    warnings = (*checks.finish(), *unused(config, loaded.source))
    return Compiled(loaded, blueprints, tuple(sorted(warnings, key=lambda p: p.line or 0)))


def build_policies(compiled: Compiled, inference: Inference, observe: Observe) -> dict[str, Policy]:
    """Connect the blueprints; nothing is asked of the model server yet."""
    return {
        blueprint.profile.name: _policy(blueprint, compiled.config, inference, observe)
        for blueprint in compiled.blueprints
    }


def needed_models(compiled: Compiled) -> tuple[str, ...]:
    """Triton models that some decision depends on, directly or through projections."""
    needed: set[str] = set()
    for blueprint in compiled.blueprints:
        families = set(leaves.leaf_names(blueprint.profile))
        if PROJECTION in families:
            derived = projections.build(blueprint.rows, blueprint.known)
            families.update(*(projection.families for projection in derived))
        needed.update(*(SIGNALS[family].models for family in families & blueprint.rules.keys()))
    return tuple(sorted(needed))


def _blueprint(profile: Profile, checks: Check) -> Blueprint:
    families = {SIGNALS[name].section: (name, SIGNALS[name]) for name in SIGNALS.names()}
    rules: dict[str, tuple[Rule, ...]] = {}
    for section, written in profile.routing.signals.items():
        path = (*profile.path, "signals", section)
        if section not in families:
            checks.unknown("signal section", section, families, path)
            continue
        family, kind = families[section]
        rules[family] = _rules(kind, written, path, checks)
    known = Known(
        names={family: tuple(SIGNALS[family].leaves(own)) for family, own in rules.items()},
        contenders=frozenset(f for f in SIGNALS.names() if SIGNALS[f].contends),
    )
    rows = _projection_rows(profile, checks)
    path = (*profile.path, "projections")
    checks.add(projections.check_projections(rows, known, path))
    checks.add(_leaf_findings(profile, rules, known, projections.outputs(rows)))
    checks.add(_algorithm_findings(profile))
    return Blueprint(profile, rules, rows, known)


def _rules(
    kind: type[Signal[Any]], rows: Rows, path: tuple[str | int, ...], checks: Check
) -> tuple[Rule, ...]:
    checked = [checks.validate(kind.Rule, row, (*path, i)) for i, row in enumerate(rows)]
    valid = tuple(rule for rule in checked if rule is not None)
    if len(valid) == len(checked):
        checks.add(check.duplicates((rule.name for rule in valid), "rule", path))
    return valid


def _projection_rows(profile: Profile, checks: Check) -> dict[str, tuple[Row | None, ...]]:
    kinds = projections.sections()
    path = (*profile.path, "projections")
    return {
        section: tuple(
            checks.validate(kinds[section].Rule, row, (*path, section, i))
            for i, row in enumerate(rows)
        )
        for section, rows in profile.routing.projections.model_dump().items()
    }


def _algorithm_findings(profile: Profile) -> Iterator[Finding]:
    for index, decision in enumerate(profile.routing.decisions):
        path = (*profile.path, "decisions", index, "algorithm")
        for found in selection.check_algorithm(decision.algorithm):
            yield Finding((*path, *found.path), found.message, found.hint, found.severity)


def _leaf_findings(
    profile: Profile,
    rules: Mapping[str, tuple[Rule, ...]],
    known: Known,
    outputs: Sequence[str],
) -> Iterator[Finding]:
    table: dict[str, dict[str, object]] = {family: {} for family in SIGNALS.names()}
    for family, names in known.names.items():
        table[family] = dict.fromkeys(names)
    table[PROJECTION] = dict.fromkeys(outputs)
    labels = {
        family: SIGNALS[family].labels(rules.get(family, ()))
        for family in SIGNALS.names()
        if SIGNALS[family].labelled
    }
    return leaves.leaves(profile, table, labels)


def _policy(blueprint: Blueprint, config: Config, inference: Inference, observe: Observe) -> Policy:
    routing = blueprint.profile.routing
    surroundings = Surroundings(inference, _settings(config))
    built = [SIGNALS[family](rules, surroundings) for family, rules in blueprint.rules.items()]
    engine = Engine(
        routing.decisions,
        strategy(config, routing),
        {
            (family, leaf): ((family, rule),)
            for family, rules in blueprint.rules.items()
            for leaf, rule in SIGNALS[family].leaves(rules).items()
            if leaf != rule
        },
    )
    router = config.global_.router
    derived = projections.build(blueprint.rows, blueprint.known)
    evaluation = Evaluation(
        dict(zip(blueprint.rules, built, strict=True)),
        derived,
        deadlines=router.signal_deadlines,
        default_deadline=router.signal_deadline,
        not_run=router.not_run_signals,
        observe=observe,
    )
    declared = {family: tuple(names) for family, names in blueprint.known.names.items()}
    default = config.providers.defaults.default_model
    return Policy(
        recipe=blueprint.profile.name,
        evaluation=evaluation,
        engine=engine,
        decisions={decision.name: decision for decision in routing.decisions},
        declared=declared | {PROJECTION: projections.outputs(blueprint.rows)},
        results={name: SIGNALS[name].results for name in SIGNALS.names()}
        | {PROJECTION: PROJECTION},
        idle={
            family: signal.not_run()
            for family, signal in zip(blueprint.rules, built, strict=True)
            if signal.not_run()
        },
        projections=derived,
        default=Candidate(default) if default else None,
    )


def _settings(config: Config) -> dict[str, Mapping[str, Any]]:
    """Family -> the block of `global` that tunes it."""
    tree = config.global_.model_dump()
    found: dict[str, Mapping[str, Any]] = {}
    for family in SIGNALS.names():
        block: Any = tree
        for key in SIGNALS[family].settings:
            block = block[key]
        if SIGNALS[family].settings:
            found[family] = block
    return found
