"""Recipes, the reference router's and those of configs/recipes, scored by the same ten checks."""

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import compile_policies
from orchestrator.cli.doubt import unknowing
from orchestrator.config.load import ASSET_ROOT, examine_file
from orchestrator.config.schema import profiles, strategy
from orchestrator.evaluation import ignore
from orchestrator.pipeline import Pipeline
from orchestrator.probes.dependencies import dependencies_of
from orchestrator.probes.load import load
from orchestrator.probes.runner import Result, run
from orchestrator.server.evaluate import evaluate
from orchestrator.telemetry import Telemetry

ROOT = Path(__file__).parent.parent
RECIPES = ROOT.parent / "shared" / "conformance" / "recipes"
OURS = sorted((ROOT / "configs" / "recipes").glob("*/"))
absent = pytest.mark.skipif(
    not RECIPES.is_dir(), reason="the reference router's recipes are not beside this checkout"
)


def patient(compiled):
    """With time for every signal, so that a busy machine tells nothing about a policy."""
    settings = compiled.config.global_
    router = settings.router.model_copy(update={"signal_deadline": 60.0, "signal_deadlines": {}})
    update = {"global_": settings.model_copy(update={"router": router})}
    return replace(compiled, config=compiled.config.model_copy(update=update))


async def results_of(recipe, inference, assets=None) -> tuple[Result, ...]:
    """`assets`: the folder of `knowledge_bases/`; without it rules about them are not run."""
    environ = {ASSET_ROOT: str(assets)} if assets else {}
    return await results_in(RECIPES / recipe, inference, environ)


async def results_in(folder, inference, environ=MappingProxyType({})) -> tuple[Result, ...]:
    """Of the probes of a folder, under its policy."""
    found = examine_file(folder / "config.yaml", environ)
    compiled = patient(compile_policies(found))
    policies = await _policies(compiled, inference)
    known = {
        profile.name: dependencies_of(
            policies[profile.name], strategy(compiled.config, profile.routing)
        )
        for profile in profiles(compiled.config)
    }
    file, probes = load(folder / "probes.yaml")
    names = names_of(compiled.config)

    def asking(policies):
        pipeline = Pipeline(names, policies, None, Telemetry())

        async def ask(body):
            return await evaluate(pipeline, body, trace=True)

        return ask

    doubted = await _policies(unknowing(compiled), inference)
    return await run(file, probes, asking(policies), known.get, doubting=asking(doubted))


async def _policies(compiled, inference):
    policies = build_policies(compiled, inference, ignore)
    for policy in policies.values():
        await policy.evaluation.prepare()
    return policies


def failures(results):
    """Ids of the probes that fail and cannot be put down to what this version does not run."""
    return {result.probe.id for result in results if result.status == "fail"}


def passes(results):
    return sum(result.status == "pass" for result in results)
