"""Checked blueprints to policies that requests are decided by."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

from orchestrator import projections
from orchestrator.app.policies import Blueprint, Compiled, settings_of
from orchestrator.choosing.catalogue import catalogue
from orchestrator.config.schema import strategy
from orchestrator.config.settings import Router
from orchestrator.config.uncollected import uncollected
from orchestrator.decision.composition import compose
from orchestrator.decision.engine import Engine
from orchestrator.evaluation import Evaluation, Observe
from orchestrator.inference import Inference
from orchestrator.inference.pictures import LIMIT, Fetch
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.pipeline import Policy
from orchestrator.projections import PROJECTION
from orchestrator.signals import SIGNALS, Signal, Surroundings
from orchestrator.types import Candidate

# Of a family's deadline: what remains tells what the family knows without pictures.
FOR_PICTURES = 0.9


def build_policies(
    compiled: Compiled,
    inference: Inference,
    observe: Observe,
    threads: Executor | None = None,
    fetch: Fetch | None = None,
) -> dict[str, Policy]:
    """Connect the blueprints; nothing is asked of the model server yet.

    `threads` read long texts: see Evaluation. `fetch` gets pictures that requests link to.
    """
    config = compiled.config
    surroundings = Surroundings(
        inference,
        settings_of(config),
        config.folders,
        config.global_.images,
        fetch,
        _image_limit(config.global_.router),
    )
    with uncollected():
        return {
            blueprint.profile.name: _policy(blueprint, compiled, surroundings, observe, threads)
            for blueprint in compiled.blueprints
        }


def _policy(
    blueprint: Blueprint,
    compiled: Compiled,
    surroundings: Surroundings,
    observe: Observe,
    threads: Executor | None,
) -> Policy:
    config, routing = compiled.config, blueprint.profile.routing
    built = [SIGNALS[family](rules, surroundings) for family, rules in blueprint.rules.items()]
    behind = {family: SIGNALS[family].leaves(rules) for family, rules in blueprint.rules.items()}
    aliases = {
        (family, leaf): ((family, rule),)
        for family, leaves_of in behind.items()
        for leaf, rule in leaves_of.items()
        if leaf != rule
    }
    engine = Engine(routing.decisions, strategy(config, routing), aliases)
    composers = {f: SIGNALS[f].composers(rules) for f, rules in blueprint.rules.items()}
    router = config.global_.router
    derived = projections.build(blueprint.rows, blueprint.known)
    evaluation = Evaluation(
        dict(zip(blueprint.rules, built, strict=True)),
        derived,
        used=engine.families,
        deadlines=router.signal_deadlines,
        default_deadline=router.signal_deadline,
        not_run=router.not_run_signals,
        observe=observe,
        threads=threads,
        composition=compose(composers, behind, aliases),
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
        headers={name: _header(SIGNALS[name]) for name in SIGNALS.names()}
        | {PROJECTION: "projections"},
        idle={
            family: signal.not_run()
            for family, signal in zip(blueprint.rules, built, strict=True)
            if signal.not_run()
        },
        weighs=frozenset(family for family in blueprint.rules if SIGNALS[family].weighs),
        projections=derived,
        default=Candidate(default) if default else None,
        catalogue=catalogue(config),
        around=compiled.around,
    )


def _image_limit(router: Router) -> float:
    """Seconds that the models may take over a picture, whichever family asks."""
    families = [name for name in SIGNALS.names() if IMAGE_SIGNALS in SIGNALS[name].models]
    given = [router.signal_deadlines.get(name, router.signal_deadline) for name in families]
    return FOR_PICTURES * min(given) if given else LIMIT


def _header(kind: type[Signal[Any]]) -> str:
    return kind.header or kind.results.replace("_", "-")
