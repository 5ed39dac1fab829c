"""A policy file to blueprints: every row checked by the extension that owns it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator import projections, selection, signals
from orchestrator.app import findings
from orchestrator.choosing.catalogue import surroundings
from orchestrator.choosing.polling import models_of
from orchestrator.config import check, leaves, order
from orchestrator.config.advice import advice
from orchestrator.config.crowding import crowding
from orchestrator.config.document import Path as YamlPath
from orchestrator.config.load import Examined, examine_file, internal_listener
from orchestrator.config.problems import Check
from orchestrator.config.schema import Config, Profile, profiles
from orchestrator.config.uncollected import uncollected
from orchestrator.config.unused import unused
from orchestrator.errors import Problem
from orchestrator.inference.examples import MODEL as ENCODER
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.projections import Known, Row
from orchestrator.registry import discover
from orchestrator.selection import Surroundings
from orchestrator.signals import SIGNALS, Rule

# Values of embedding_config.model_type -> the model that it is in model_repository/.
ENCODERS = {
    "all-MiniLM-L6-v2": ENCODER,
    "mmbert": "mmbert_32k",
    "qwen3": "qwen3_embedding_0_6b",
    "gemma": "embeddinggemma_300m",
}


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

    config: Config
    blueprints: tuple[Blueprint, ...]
    warnings: tuple[Problem, ...]
    digest: str = ""  # SHA-256 of the document's text, in hexadecimal
    text: str = field(default="", repr=False)  # the document's; it may hold secrets
    around: Surroundings = field(default_factory=Surroundings, repr=False)  # of selectors


def discover_extensions() -> None:
    for package in (signals, projections, selection):
        discover(package)


def compile_file(path: Path) -> Compiled:
    """Raises ConfigError with every problem of the file."""
    return compile_policies(examine_file(path))


def compile_policies(examined: Examined) -> Compiled:
    """Check what can be checked, also where the schema has refused parts of the document."""
    discover_extensions()
    with uncollected():
        return _compiled(examined)


def _compiled(examined: Examined) -> Compiled:
    checks, config = examined.check(), examined.config
    routings = tuple(_routings(examined.source.data))
    for path, routing in routings:
        checks.add(findings.condition_types(routing, path))
    if config is None:
        for path, routing in routings:
            _signal_rules(routing.get("signals"), (*path, "signals"), checks)
        checks.finish()
        raise AssertionError("a document without a config has problems")
    checks.add(
        check.references(
            config,
            encoders=_encoders(config),
            internal_listener=internal_listener(),
            checks_tokens=True,
        )
    )
    checks.add(order.order(config))
    checks.add(advice(config))
    checks.add(findings.settings(config))
    checks.add(findings.replaced_models(config))
    around = surroundings(config)
    findings.selection_defaults(around, checks)
    blueprints = tuple(_blueprint(config, profile, around, checks) for profile in profiles(config))
    if IMAGE_SIGNALS not in _asked(config, blueprints):
        checks.add(findings.without_image_rules(config))
    warnings = (*checks.finish(), *unused(config, examined.source))
    ordered = tuple(sorted(warnings, key=lambda problem: problem.line or 0))
    return Compiled(config, blueprints, ordered, examined.digest, examined.text, around)


def needed_models(compiled: Compiled) -> tuple[str, ...]:
    """Triton models that any rule asks, used by a decision or not: /api/v1/eval reads them all."""
    return tuple(sorted(_asked(compiled.config, compiled.blueprints)))


def encoder_of(config: Config) -> str:
    """The model that embeds texts."""
    return config.global_.services.triton.models.get(ENCODER, ENCODER)


def _encoders(config: Config) -> tuple[str, ...]:
    """What the encoder may be called that embeds texts."""
    runs = encoder_of(config)
    return (runs, *(name for name, model in ENCODERS.items() if model == runs))


def _asked(config: Config, blueprints: Sequence[Blueprint]) -> set[str]:
    settings = settings_of(config)
    return {
        model
        for blueprint in blueprints
        for family, rules in blueprint.rules.items()
        for model in SIGNALS[family].asks(rules, settings.get(family, {}))
    } | {
        model
        for blueprint in blueprints
        for decision in blueprint.profile.routing.decisions
        for model in models_of(decision)
    }


def _routings(data: Mapping[str, Any]) -> Iterator[tuple[YamlPath, Mapping[str, Any]]]:
    """The routing blocks of a document of which nothing is certain."""
    found: list[tuple[YamlPath, Any]] = [(("routing",), data.get("routing"))]
    recipes = data.get("recipes")
    for index, recipe in enumerate(recipes if isinstance(recipes, list) else ()):
        routing = recipe.get("routing") if isinstance(recipe, dict) else None
        found.append((("recipes", index, "routing"), routing))
    yield from ((path, routing) for path, routing in found if isinstance(routing, dict))


def _blueprint(config: Config, profile: Profile, around: Surroundings, checks: Check) -> Blueprint:
    used = leaves.leaf_names(profile)
    path = (*profile.path, "signals")
    rules, broken = _signal_rules(profile.routing.signals, path, checks)
    for family in SIGNALS.names():
        implied = SIGNALS[family].implied(used.get(family, ()))
        if family not in rules and implied:
            rules[family] = implied
    known = Known(
        names={family: tuple(SIGNALS[family].leaves(own)) for family, own in rules.items()},
        contenders=frozenset(f for f in SIGNALS.names() if SIGNALS[f].contends),
    )
    # Of a family with a refused row, any name that a decision uses may be that row's.
    hidden = {family: tuple(used.get(family, ())) for family in broken}
    rows = _projection_rows(profile, checks)
    if not broken:
        at = (*profile.path, "projections")
        checks.add(projections.check_projections(rows, known, at))
        checks.add(findings.idle_rules(profile, rules, rows, known))
    checks.add(findings.conditions(profile, rules, known, hidden, projections.outputs(rows)))
    checks.add(findings.own_checks(config, profile, rules, known, broken))
    settings = settings_of(config)
    idle = {
        family: SIGNALS[family].idle(own, settings.get(family, {})) for family, own in rules.items()
    }
    checks.add(findings.dependence(config, profile, rules, rows, known, idle))
    limits = {family: SIGNALS[family].most(settings.get(family, {})) for family in rules}
    most = {family: limit for family, limit in limits.items() if limit is not None}
    checks.add(crowding(profile, most))
    findings.algorithms(config, profile, around, checks)
    checks.add(findings.missing_models(config, profile))
    return Blueprint(profile, rules, rows, known)


def _signal_rules(
    sections: object, path: YamlPath, checks: Check
) -> tuple[dict[str, tuple[Rule, ...]], frozenset[str]]:
    """The valid rules of each family, and the families that have refused rows."""
    families = {SIGNALS[name].section: (name, SIGNALS[name]) for name in SIGNALS.names()}
    rules: dict[str, tuple[Rule, ...]] = {}
    broken: set[str] = set()
    for section, rows in sections.items() if isinstance(sections, Mapping) else ():
        at = (*path, section)
        if section not in families:
            checks.unknown("signal section", section, families, at)
            continue
        family, kind = families[section]
        rows = rows if isinstance(rows, list | tuple) else ()
        valid = [checks.validate(kind.Rule, row, (*at, i)) for i, row in enumerate(rows)]
        rules[family] = tuple(rule for rule in valid if rule is not None)
        if None in valid:
            broken.add(family)
        else:
            checks.add(check.duplicates((rule.name for rule in rules[family]), "rule", at))
        if rows and not kind.runs:
            checks.warn(at, f"the signal family {family!r} is accepted, not run by this version")
    return rules, frozenset(broken)


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


def settings_of(config: Config) -> dict[str, Mapping[str, Any]]:
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
