"""The table from logical model names to servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from orchestrator.config.schema import Config, ProviderModel, ReasoningFamily
from orchestrator.protocols.reasoning import ReasoningChange
from orchestrator.types import Candidate
from orchestrator.upstream.endpoints import Endpoint, Environ, endpoints
from orchestrator.upstream.pool import FAILURES, SECONDS, Pool

DEFAULT_EFFORT = "medium"  # spec/decisions.md 3.6


@dataclass(frozen=True, slots=True)
class Backend:
    """One logical model: its servers, and how it is told to reason."""

    pool: Pool
    family: ReasoningFamily | None = None
    effort: str = DEFAULT_EFFORT
    adapter: str | None = None  # LoRA name that the servers know

    def model_id(self, candidate: Candidate, endpoint: Endpoint) -> str:
        return candidate.lora or self.adapter or endpoint.model_id

    def reasoning(self, candidate: Candidate, endpoint: Endpoint) -> ReasoningChange | None:
        """What policy writes for `candidate`; None where the model has no family."""
        if self.family is None:
            return None
        return ReasoningChange(
            family=self.family.type,
            parameter=self.family.parameter,
            enabled=candidate.use_reasoning,
            effort=candidate.reasoning_effort or self.effort,
            dialect=endpoint.dialect,
        )


def backends(config: Config, random: Random, environ: Environ = None) -> Mapping[str, Backend]:
    """Logical name (a model, or an adapter of one) -> Backend, for models that have servers.

    Raises ConfigError for a provider type nobody knows and for a secret that is not set.
    """
    table = {
        model.name: _backend(config, model, random, environ)
        for model in config.providers.models
        if model.backend_refs
    }
    for card in config.routing.modelCards:
        base = table.get(card.name)
        for lora in card.loras if base else ():
            if base and lora.name not in table:
                table[lora.name] = Backend(base.pool, base.family, base.effort, lora.name)
    return table


def _backend(config: Config, model: ProviderModel, random: Random, environ: Environ) -> Backend:
    defaults, limits = config.providers.defaults, model.reliability
    pool = Pool(
        endpoints(model, environ),
        random,
        FAILURES if limits.consecutive_5xx is None else limits.consecutive_5xx,
        SECONDS if limits.base_ejection_time is None else limits.base_ejection_time,
    )
    family = defaults.reasoning_families.get(model.reasoning_family or "")
    return Backend(pool, family, defaults.default_reasoning_effort or DEFAULT_EFFORT)
