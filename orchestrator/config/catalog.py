"""`global.model_catalog` (spec/config.md 1.6): models that read signals, and how they are used."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, field_validator

from orchestrator.config.fields import (
    NOT_RUN,
    Count,
    Name,
    NotRun,
    Port,
    Strict,
    Unit,
    Variable,
    one_of,
)
from orchestrator.config.modules import Modules, PrototypeScoring


class EmbeddingConfig(Strict):
    """Which encoder, and how scores of embedding rules become matches (spec/signals.md 2.2)."""

    backend: Annotated[Literal["candle", "openvino", "openai_compatible"], NOT_RUN] = "candle"
    model_type: Name = "mmbert"  # `check.references` compares it with what runs
    preload_embeddings: Annotated[bool, NOT_RUN] = True
    target_dimension: Count = 768  # of image rules, see matching.prototypes.shortened; 0: whole
    target_layer: Annotated[Count, NOT_RUN] = 22
    enable_soft_matching: bool = True
    top_k: Count = 1  # 0: no limit
    min_score_threshold: Unit = 0.5  # 0 means the default
    prototype_scoring: PrototypeScoring = PrototypeScoring()

    @field_validator("min_score_threshold")
    @classmethod
    def _zero_is_default(cls, value: float) -> float:
        return value or 0.5


class EmbeddingEndpoint(Strict):
    base_url: Name | None = None
    model: Name | None = None
    api_key_env: Variable | None = None
    timeout_seconds: Count | None = None
    max_retries: Count | None = None
    dimensions: Count | None = None


class SemanticEmbeddings(Strict):
    qwen3_model_path: Annotated[str | None, NOT_RUN] = None
    gemma_model_path: Annotated[str | None, NOT_RUN] = None
    mmbert_model_path: Annotated[str | None, NOT_RUN] = None
    multimodal_model_path: Annotated[str | None, NOT_RUN] = None
    bert_model_path: Annotated[str | None, NOT_RUN] = None
    use_cpu: Annotated[bool, NOT_RUN] = True
    embedding_config: EmbeddingConfig = EmbeddingConfig()
    endpoint: Annotated[EmbeddingEndpoint | None, NOT_RUN] = None


class Embeddings(Strict):
    semantic: SemanticEmbeddings = SemanticEmbeddings()


class System(Strict):
    """Model paths of the reference's built-in signals."""

    prompt_guard: str | None = None
    domain_classifier: str | None = None
    pii_classifier: str | None = None
    fact_check_classifier: str | None = None
    hallucination_detector: str | None = None
    hallucination_explainer: str | None = None
    feedback_detector: str | None = None


class LlmEndpoint(Strict):
    address: Name
    port: Port
    protocol: Literal["http", "https"] = "http"
    name: Name | None = None
    use_chat_template: bool = False
    prompt_template: str | None = None


_ROLES = "guardrail classification scoring preference memory_rewrite memory_extraction"


class External(Strict):
    """A language model that answers for a signal or a store."""

    name: Name
    llm_provider: Name | None = None
    model_role: Annotated[str, AfterValidator(one_of(_ROLES))]
    llm_endpoint: LlmEndpoint
    llm_model_name: Name | None = None
    llm_timeout_seconds: Count | None = None
    parser_type: Literal["qwen3guard", "json", "simple", "auto"] | None = None
    threshold: Unit | None = None
    access_key: SecretStr | None = None
    max_tokens: Count | None = None
    temperature: float | None = Field(default=None, ge=0)


class KbSource(Strict):
    """`path` is a folder; a relative one is looked for in `Config.folders`."""

    path: Name
    manifest: Name = "labels.json"


class KbMetric(Strict):
    name: Name
    type: Literal["group_margin"]
    positive_group: Name
    negative_group: Name


class KnowledgeBase(Strict):
    name: Name
    source: KbSource
    threshold: Unit
    label_thresholds: dict[str, Unit] = {}
    groups: dict[str, tuple[Name, ...]] = {}
    metrics: tuple[KbMetric, ...] = ()
    prototype_scoring: PrototypeScoring = PrototypeScoring()


_GUARDED = (
    *("prompt_injection", "credential_exfiltration", "jailbreak_role"),
    "system_prompt_extraction",
)
_KEPT_LOCAL = (
    *("proprietary_code", "internal_document", "pii", "business_strategy", "trade_secret_ip"),
    *("operational_infrastructure", "locality_directive", "customer_data"),
)
_HARD = ("architecture_analysis", "root_cause_analysis", "multi_step_tradeoffs")
_EASY = ("generic_coding", "simple_task", "general_knowledge")
PRIVACY_GROUPS = {
    "security_containment": _GUARDED,
    "privacy_policy": _KEPT_LOCAL,
    "frontier_reasoning": _HARD,
    "local_standard": _EASY,
    "private": (*_GUARDED, *_KEPT_LOCAL),
    "public": (*_HARD, *_EASY),
}
PRIVATE_VS_PUBLIC = KbMetric(
    name="private_vs_public",
    type="group_margin",
    positive_group="private",
    negative_group="public",
)


def _knowledge_bases() -> tuple[KnowledgeBase, ...]:
    """The format's default list, which a given list replaces as a whole. The folders themselves
    are no part of this project: labels of the groups that a folder does not have are left out.
    """
    privacy = KnowledgeBase(
        name="privacy_kb",
        source=KbSource(path="knowledge_bases/privacy/"),
        threshold=0.55,
        groups=PRIVACY_GROUPS,
        metrics=(PRIVATE_VS_PUBLIC,),
    )
    subjects = KnowledgeBase(
        name="mmlu_kb", source=KbSource(path="knowledge_bases/mmlu/"), threshold=0.25
    )
    return privacy, subjects


def _empty(value: object) -> bool:
    return not value


class ModelCatalog(Strict):
    embeddings: Embeddings = Embeddings()
    system: Annotated[System, NOT_RUN] = System()
    external: Annotated[tuple[External, ...], NotRun(_empty)] = ()
    kbs: tuple[KnowledgeBase, ...] = Field(default_factory=_knowledge_bases)
    modules: Modules = Modules()
