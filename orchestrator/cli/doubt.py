"""A policy once more, with the rules of families that do not run *unknown* instead of unmatched.

What is certain in its answers stays so whatever those rules would say: so it tells which failures
of probes are due to them.
"""

from dataclasses import replace

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled
from orchestrator.app.running import Running
from orchestrator.evaluation import ignore
from orchestrator.pipeline import Pipeline
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.nowhere import Nowhere


def unknowing(compiled: Compiled) -> Compiled:
    """The same file, whose rules that do not run are unknown."""
    config = compiled.config
    settings = config.global_.router.model_copy(update={"not_run_signals": "unknown"})
    changed = config.global_.model_copy(update={"router": settings})
    return replace(compiled, config=config.model_copy(update={"global_": changed}))


async def doubting(router: Running) -> Pipeline:
    """Of the file of `router`, ready to be asked; all else, what selectors are told included, is
    that of `router`.
    """
    compiled = unknowing(router.compiled)
    policies = build_policies(compiled, router.plane.inference, ignore, fetch=router.fetch)
    for policy in policies.values():
        await policy.evaluation.prepare()
    return Pipeline(names_of(compiled.config), policies, Nowhere(), Telemetry(), router.poll)
