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
    """Of likeness."""
    lexical: float | None = None
    """Of words in common."""
    tag: float | None = None
    """Of tags."""
    name: float | None = None
    """Of the name."""
    category: float | None = None
    """Of the category."""


class HybridHistory(Strict):
    history_horizon: Count = 8
    """Steps looked back."""
    min_history_steps: Count | None = None
    """Before history counts."""
    history_confidence_threshold: Unit | None = None
    """Before history counts."""
    weight_semantic: float | None = None
    """Of likeness."""
    weight_history_transition: float | None = None
    """Of what usually follows."""
    weight_decision_prior: float | None = None
    """Of what the decision usually takes."""
    repetition_penalty_strength: float | None = None
    """For a tool just used."""


class AdvancedFiltering(Strict):
    enabled: bool = False
    """Filters tools by more than likeness."""
    retrieval_strategy: Literal["weighted", "hybrid_history"] = "weighted"
    """How."""
    candidate_pool_size: Count | None = None
    """Tools looked at."""
    min_lexical_overlap: Count | None = None
    """Words in common."""
    min_combined_score: Unit | None = None
    """Of a tool."""
    weights: FilterWeights = FilterWeights()
    """Of the parts of the score."""
    use_category_filter: bool = False
    """By the request's subject."""
    category_confidence_threshold: Unit | None = None
    """Of that subject."""
    allow_tools: tuple[str, ...] = ()
    """Only these."""
    block_tools: tuple[str, ...] = ()
    """None of these."""
    hybrid_history: HybridHistory = HybridHistory()
    """How earlier steps count."""


class Tools(Strict):
    enabled: bool = False
    """Adds tools that fit a request."""
    top_k: Count = 3
    """How many."""
    similarity_threshold: Unit | None = None
    """From which on one fits."""
    tools_db_path: Name = "config/tools_db.json"
    """The file of tools."""
    fallback_to_empty: bool = True
    """No tools where that fails."""
    advanced_filtering: AdvancedFiltering = AdvancedFiltering()
    """By more than likeness."""


class Remom(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/remom",)
    """That clients ask for."""


class Fusion(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/fusion",)
    """That clients ask for."""


class FlowState(Strict):
    store_backend: Literal["memory", "file", "redis"] = "memory"
    """Where."""
    ttl_seconds: Count = 1800
    """For how long."""
    file: Opaque = {}
    """Its folder."""
    redis: Opaque = {}
    """Its server."""


class Flow(Strict):
    model_names: tuple[Name, ...] = ("vllm-sr/flow",)
    """That clients ask for."""
    state: FlowState = FlowState()
    """What is kept between calls."""


class Looper(Strict):
    endpoint: Name = "http://localhost:8899/v1/chat/completions"
    """Through which several models are called."""
    timeout_seconds: Count = 1200
    """Of one call."""
    grpc_max_msg_size_mb: Count = 4
    """Of Envoy's."""
    max_response_bytes_mb: Count = 32
    """Of one answer."""
    retry_count: Count | None = None
    """Of one call."""
    headers: Secrets = {}
    """Sent with each call."""
    remom: Remom = Remom()
    """The algorithm of that name."""
    fusion: Fusion = Fusion()
    """The algorithm of that name."""
    flow: Flow = Flow()
    """The algorithm workflows."""

    def model_names(self) -> tuple[str, ...]:
        """Reserved names: each runs the decisions of one multi-call algorithm."""
        return self.remom.model_names + self.fusion.model_names + self.flow.model_names


class Integrations(Strict):
    tools: Annotated[Tools, NOT_RUN_IF_ON] = Tools()
    """The tools database."""
    looper: Annotated[Looper, NOT_RUN] = Looper()
    """Algorithms that call several models."""
