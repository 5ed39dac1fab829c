"""`global.model_catalog.modules` (spec/config.md 1.6): settings of the signal models.

Field names are the format's. Where two settings name the same thing (`use_cpu`, `model_id`,
`use_mmbert_32k`), the reference chose its own in-process back end by them.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from orchestrator.config.fields import (
    NOT_RUN,
    NOT_RUN_IF_ON,
    Count,
    Name,
    NotRun,
    Secrets,
    Strict,
    Unit,
    one_of,
)


def _none(threshold: object) -> bool:
    return threshold == 0


class PrototypeScoring(Strict):
    """How many examples stand for a class, and how their similarities become one score.

    Zero means the default, as the format has it.
    """

    enabled: bool = True  # False: every example is a prototype
    cluster_similarity_threshold: Unit = 0.9
    max_prototypes: Count = 8
    best_weight: Unit = 0.75
    top_m: Count = 2
    margin_threshold: Annotated[float, Field(ge=0), NotRun(_none)] = 0.0

    @field_validator("cluster_similarity_threshold", "max_prototypes", "best_weight", "top_m")
    @classmethod
    def _zero_is_default(cls, value: float, info: ValidationInfo) -> float:
        default: float = cls.model_fields[str(info.field_name)].default
        return value or default


class Compression(Strict):
    enabled: bool = False
    profile: Literal["default", "coding", "medical", "security", "multi_turn", "multi-turn"] = (
        "default"
    )
    max_tokens: Count | None = None
    min_length: Count | None = None
    skip_signals: tuple[Name, ...] | None = None  # None: the guards
    textrank_weight: float | None = None
    position_weight: float | None = None
    tfidf_weight: float | None = None
    novelty_weight: float | None = None
    position_depth: float | None = None
    preserve_first_n: Count | None = None
    preserve_last_n: Count | None = None


class Model(Strict):
    """What every model of a signal may say about itself."""

    model_ref: Name | None = None
    model_id: Name | None = None
    threshold: Unit | None = None
    use_cpu: bool = True
    use_modernbert: bool = False
    use_mmbert_32k: bool = True


class PromptGuard(Model):
    enabled: bool = True
    threshold: Unit = 0.7
    variant: Literal["candle", "mmbert32k", ""] | None = None
    protocol: Literal["http_chat", "http_classify", ""] | None = None
    jailbreak_mapping_path: str | None = None
    positive_labels: tuple[Name, ...] | None = None
    on_error: Literal["", "allow", "block"] = "allow"

    @model_validator(mode="after")
    def _one_way_to_the_model(self) -> Self:
        if self.variant and self.protocol:
            raise ValueError("variant and protocol exclude each other")
        return self


class Domain(Model):
    enabled: bool | None = None
    threshold: Unit = 0.5
    category_mapping_path: str | None = None
    fallback_category: Name = "other"


class Mcp(Strict):
    enabled: bool = False
    transport_type: Literal["stdio", "http"] = "stdio"
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Secrets = {}
    url: str | None = None
    tool_name: Name | None = None
    threshold: Unit | None = None
    timeout_seconds: Count | None = None


class Pii(Model):
    enabled: bool | None = None
    threshold: Unit = 0.9
    pii_mapping_path: str | None = None


class Preference(Strict):
    use_contrastive: bool = True
    embedding_model: str | None = None
    prototype_scoring: PrototypeScoring = PrototypeScoring()


class Classifier(Strict):
    domain: Annotated[Domain, NOT_RUN] = Domain()
    mcp: Annotated[Mcp, NOT_RUN_IF_ON] = Mcp()
    pii: Annotated[Pii, NOT_RUN] = Pii()
    preference: Annotated[Preference, NOT_RUN] = Preference()


class Complexity(Strict):
    prototype_scoring: Annotated[PrototypeScoring, NOT_RUN] = PrototypeScoring()


class FactCheck(Model):
    threshold: Unit = 0.6


class Detector(Model):
    backend: Literal["candle", "endpoint"] = "candle"
    endpoint: str = ""
    include_explanation: bool = False
    threshold: Unit = 0.8
    min_span_length: Count = 2
    min_span_confidence: Unit = 0.6
    context_window_size: Count = 50
    enable_nli_filtering: bool = True
    nli_entailment_threshold: Unit = 0.75


class Explainer(Model):
    threshold: Unit = 0.9


class Mitigation(Strict):
    enabled: bool = False
    on_hallucination_detected: Name | None = None
    fact_check: FactCheck = FactCheck()
    detector: Detector = Detector()
    explainer: Explainer = Explainer()


class FeedbackDetector(Model):
    enabled: bool = True
    threshold: Unit = 0.7
    feedback_mapping_path: str | None = None


class ModalityModel(Strict):
    model_path: str | None = None
    use_cpu: bool = True


class ModalityDetector(Strict):
    enabled: bool = False
    method: Annotated[str, AfterValidator(one_of("classifier keyword hybrid"))] = "hybrid"
    classifier: ModalityModel | None = None
    keywords: tuple[str, ...] = ()
    both_keywords: tuple[str, ...] = ()
    prompt_prefixes: tuple[str, ...] = ()
    confidence_threshold: Unit | None = None
    lower_threshold_ratio: Unit | None = None


class Modules(Strict):
    prompt_compression: Annotated[Compression, NOT_RUN_IF_ON] = Compression()
    prompt_guard: Annotated[PromptGuard, NOT_RUN_IF_ON] = PromptGuard()
    classifier: Classifier = Classifier()
    complexity: Complexity = Complexity()
    hallucination_mitigation: Annotated[
        Mitigation, NotRun(lambda m: not m.enabled and m.model_fields_set <= {"enabled"})
    ] = Mitigation()
    feedback_detector: Annotated[FeedbackDetector, NOT_RUN_IF_ON] = FeedbackDetector()
    modality_detector: Annotated[ModalityDetector, NOT_RUN_IF_ON] = ModalityDetector()
