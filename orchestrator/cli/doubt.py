"""A policy once more, with the rules of families that do not run *unknown* instead of unmatched.

What is certain in its answers stays so whatever those rules would say: so it tells which failures
of probes are due to them.
"""

from dataclasses import replace

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.app.policies import Compiled
from orchestrator.evaluation import ignore
from orchestrator.inference import Inference
from orchestrator.pipeline import Pipeline
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.nowhere import Nowhere


async def doubting(compiled: Compiled, inference: Inference) -> Pipeline:
    """Of the same file, ready to be asked."""
    config = compiled.config
    router = config.global_.router.model_copy(update={"not_run_signals": "unknown"})
    settings = config.global_.model_copy(update={"router": router})
    unknown = replace(compiled, config=config.model_copy(update={"global_": settings}))
    policies = build_policies(unknown, inference, ignore)
    for policy in policies.values():
        await policy.evaluation.prepare()
    return Pipeline(names_of(config), policies, Nowhere(), Telemetry())
