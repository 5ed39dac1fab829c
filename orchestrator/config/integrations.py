"""`global.integrations` (spec/config.md 1.6): the tools database and multi-call algorithms."""

from __future__ import annotations

from typing import Annotated, Literal

from orchestrator.config.fields import (
    NOT_RUN,
    NOT_RUN_IF_ON,
    Count,
    Name,
    Opaque,
    Secrets,
    Strict,
    Unit,
)


class FilterWeights(Strict):
    embed: float | None = None
    lexical: float | None = None
    tag: float | None = None
    name: float | None = None
    category: float | None = None


class HybridHistory(Strict):
    history_horizon: Count = 8
    min_history_steps: Count | None = None
    history_confidence_threshold: Unit | None = None
    weight_semantic: float | None = None
    weight_history_transition: float | None = None
    weight_decision_prior: float | None = None
    repetition_penalty_strength: float | None = None


class AdvancedFiltering(Strict):
    enabled: bool = False
    retrieval_strategy: Literal["weighted", "hybrid_history"] = "weighted"
    candidate_pool_size: Count | None = None
    min_lexical_overlap: Count | None = None
    min_combined_score: Unit | None = None
    weights: FilterWeights = FilterWeights()
    use_category_filter: bool = False
    category_confidence_threshold: Unit | None = None
    allow_tools: tuple[str, ...] = ()
    block_tools: tuple[str, ...] = ()
    hybrid_history: HybridHistory = HybridHistory()


class Tools(Strict):
    enabled: bool = False
    top_k: Count = 3
    similarity_threshold: Unit | None = None
    tools_db_path: Name = "config/tools_db.json"
    fallback_to_empty: bool = True
    advanced_filtering: AdvancedFiltering = AdvancedFiltering()


class Remom(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/remom",)


class Fusion(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/fusion",)


class FlowState(Strict):
    store_backend: Literal["memory", "file", "redis"] = "memory"
    ttl_seconds: Count = 1800
    file: Opaque = {}
    redis: Opaque = {}


class Flow(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/flow",)
    state: FlowState = FlowState()


class Looper(Strict):
    endpoint: Name = "http://localhost:8899/v1/chat/completions"
    timeout_seconds: Count = 1200
    grpc_max_msg_size_mb: Count = 4
    max_response_bytes_mb: Count = 32
    retry_count: Count | None = None
    headers: Secrets = {}
    remom: Remom = Remom()
    fusion: Fusion = Fusion()
    flow: Flow = Flow()

    def model_names(self) -> tuple[str, ...]:
        """Reserved names: each runs the decisions of one multi-call algorithm."""
        return self.remom.model_names + self.fusion.model_names + self.flow.model_names


class Integrations(Strict):
    tools: Annotated[Tools, NOT_RUN_IF_ON] = Tools()
    looper: Annotated[Looper, NOT_RUN] = Looper()
