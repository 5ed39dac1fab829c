"""`global.model_catalog` (spec/config.md 1.6): models that read signals, and how they are used."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, field_validator

from orchestrator.config.fields import (
    NOT_RUN,
    Count,
    Name,
    NotRun,
    OneOf,
    Port,
    Strict,
    Unit,
    Variable,
)
from orchestrator.config.modules import Modules, PrototypeScoring


class EmbeddingConfig(Strict):
    """Which encoder, and how scores of embedding rules become matches (spec/signals.md 2.2)."""

    backend: Annotated[Literal["candle", "openvino", "openai_compatible"], NOT_RUN] = "candle"
    """That runs the encoder; Triton does."""
    model_type: Name = "mmbert"
    """Which encoder; compared with the one that runs."""
    preload_embeddings: Annotated[bool, NOT_RUN] = True
    """At start; always so here."""
    target_dimension: Count = 768
    """Numbers of an embedding that image rules compare; 0: all."""
    target_layer: Annotated[Count, NOT_RUN] = 22
    """Of the encoder."""
    enable_soft_matching: bool = True
    """A rule below its own threshold may match all the same."""
    top_k: Count = 1
    """Rules that match at a time, the best ones; 0: no limit."""
    min_score_threshold: Unit = 0.5
    """Of a soft match; 0 means the default."""
    prototype_scoring: PrototypeScoring = PrototypeScoring()
    """How candidates of a rule become one score."""

    @field_validator("min_score_threshold")
    @classmethod
    def _zero_is_default(cls, value: float) -> float:
        return value or 0.5


class EmbeddingEndpoint(Strict):
    base_url: Name | None = None
    """Of the service."""
    model: Name | None = None
    """There."""
    api_key_env: Variable | None = None
    """Holds the key."""
    timeout_seconds: Count | None = None
    """Of a call."""
    max_retries: Count | None = None
    """Of a call."""
    dimensions: Count | None = None
    """Of its embeddings."""


class SemanticEmbeddings(Strict):
    qwen3_model_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's encoders."""
    gemma_model_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's encoders."""
    mmbert_model_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's encoders."""
    multimodal_model_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's encoders."""
    bert_model_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's encoders."""
    use_cpu: Annotated[bool, NOT_RUN] = True
    """Triton's configuration says so here."""
    embedding_config: EmbeddingConfig = EmbeddingConfig()
    """How embeddings become matches."""
    endpoint: Annotated[EmbeddingEndpoint | None, NOT_RUN] = None
    """A service that embeds."""


class Embeddings(Strict):
    semantic: SemanticEmbeddings = SemanticEmbeddings()
    """For the families that compare texts."""


class System(Strict):
    """Model paths of the reference's built-in signals."""

    prompt_guard: str | None = None
    """For jailbreak."""
    domain_classifier: str | None = None
    """For domain."""
    pii_classifier: str | None = None
    """For pii."""
    fact_check_classifier: str | None = None
    """For fact_check."""
    hallucination_detector: str | None = None
    """For answers."""
    hallucination_explainer: str | None = None
    """For answers."""
    feedback_detector: str | None = None
    """For user_feedback."""


class LlmEndpoint(Strict):
    address: Name
    """Host."""
    port: Port
    """There."""
    protocol: Literal["http", "https"] = "http"
    """Of the endpoint."""
    name: Name | None = None
    """For logs."""
    use_chat_template: bool = False
    """Of the model."""
    prompt_template: str | None = None
    """In place of the role's own."""


_ROLES = "guardrail classification scoring preference memory_rewrite memory_extraction"


class External(Strict):
    """A language model that answers for a signal or a store."""

    name: Name
    """As rules call it."""
    llm_provider: Name | None = None
    """Whose API it is."""
    model_role: Annotated[str, AfterValidator(OneOf(_ROLES))]
    """What it is asked."""
    llm_endpoint: LlmEndpoint
    """Where it is asked."""
    llm_model_name: Name | None = None
    """What its server calls it."""
    llm_timeout_seconds: Count | None = None
    """Of a call."""
    parser_type: Literal["qwen3guard", "json", "simple", "auto"] | None = None
    """How its answer is read."""
    threshold: Unit | None = None
    """From which on its answer counts."""
    access_key: SecretStr | None = None
    """May be `${VAR}`."""
    max_tokens: Count | None = None
    """Of its answer."""
    temperature: float | None = Field(default=None, ge=0)
    """Of its answer."""


class KbSource(Strict):
    """`path` is a folder; a relative one is looked for in `Config.folders`."""

    path: Name
    """A folder; see configs/README.md for where a relative one is looked for."""
    manifest: Name = "labels.json"
    """The file of labels in it."""


class KbMetric(Strict):
    name: Name
    """As projections call it."""
    type: Literal["group_margin"]
    """The best of one group less the best of the other."""
    positive_group: Name
    """Counts up."""
    negative_group: Name
    """Counts down."""


class KnowledgeBase(Strict):
    name: Name
    """As kb rules call it."""
    source: KbSource
    """Labels, each with examples."""
    threshold: Unit
    """From which on a label holds."""
    label_thresholds: dict[str, Unit] = {}
    """The same for single labels."""
    groups: dict[str, tuple[Name, ...]] = {}
    """Labels that rules may name together."""
    metrics: tuple[KbMetric, ...] = ()
    """Numbers for projections."""
    prototype_scoring: PrototypeScoring = PrototypeScoring()
    """How examples of a label become one score."""


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
    """The encoder."""
    system: Annotated[System, NOT_RUN] = System()
    """Model paths of the reference's built-in signals."""
    external: Annotated[tuple[External, ...], NotRun(_empty)] = ()
    """Language models that answer for a signal or a store."""
    kbs: tuple[KnowledgeBase, ...] = Field(default_factory=_knowledge_bases)
    """Knowledge bases; a list that is given replaces the default one."""
    modules: Modules = Modules()
    """Settings of single signals."""
