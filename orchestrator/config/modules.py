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


def _empty(word: object) -> bool:
    return word == ""


def _false(chosen: object) -> bool:
    return chosen is False


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


class LeadScoring(PrototypeScoring):
    """The same, where the best class must lead the next one by `margin_threshold`."""

    margin_threshold: Annotated[float, Field(ge=0)] = 0.0


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
    """What every model of a signal may say about itself; which one it is, the router decides."""

    model_ref: Annotated[Name | None, NOT_RUN] = None
    model_id: Annotated[Name | None, NOT_RUN] = None
    threshold: Unit | None = None
    use_cpu: Annotated[bool, NOT_RUN] = True
    use_modernbert: Annotated[bool, NOT_RUN] = False
    use_mmbert_32k: Annotated[bool, NOT_RUN] = True


class PromptGuard(Model):
    enabled: bool = True
    threshold: Unit = 0.7
    variant: Annotated[Literal["candle", "mmbert32k", ""] | None, NotRun(_empty)] = None
    protocol: Annotated[Literal["http_chat", "http_classify", ""] | None, NotRun(_empty)] = None
    jailbreak_mapping_path: Annotated[str | None, NOT_RUN] = None
    positive_labels: tuple[Name, ...] | None = None
    on_error: Literal["", "allow", "block"] = "allow"

    @model_validator(mode="after")
    def _one_way_to_the_model(self) -> Self:
        if self.variant and self.protocol:
            raise ValueError("variant and protocol exclude each other")
        return self


class Domain(Model):
    """`any_language` is ours, here and below: False leaves the rules unknown for a text in a
    language that the model's labels.json does not list."""

    enabled: bool | None = None
    threshold: Unit = 0.5
    any_language: bool = False
    category_mapping_path: Annotated[str | None, NOT_RUN] = None
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
    pii_mapping_path: Annotated[str | None, NOT_RUN] = None


def _contrastive(chosen: object) -> bool:
    return bool(chosen)


class Preference(Strict):
    use_contrastive: Annotated[bool, NotRun(_contrastive)] = True  # False: a language model
    embedding_model: Annotated[str | None, NOT_RUN] = None
    prototype_scoring: LeadScoring = LeadScoring()


class Classifier(Strict):
    domain: Domain = Domain()
    mcp: Annotated[Mcp, NOT_RUN_IF_ON] = Mcp()
    pii: Pii = Pii()
    preference: Preference = Preference()


class Complexity(Strict):
    prototype_scoring: PrototypeScoring = PrototypeScoring()


class FactCheck(Model):
    threshold: Unit = 0.6
    any_language: bool = False


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
    enabled: Annotated[bool, NotRun(_false)] = False
    on_hallucination_detected: Annotated[Name | None, NOT_RUN] = None
    fact_check: FactCheck = FactCheck()  # the signal of that name; runs whatever `enabled` says
    detector: Annotated[Detector, NOT_RUN] = Detector()
    explainer: Annotated[Explainer, NOT_RUN] = Explainer()


class FeedbackDetector(Model):
    enabled: bool = True
    threshold: Unit = 0.7
    any_language: bool = False
    feedback_mapping_path: Annotated[str | None, NOT_RUN] = None


class ModalityModel(Strict):
    model_path: str | None = None
    use_cpu: bool = True


class ModalityDetector(Strict):
    enabled: bool = False
    method: Annotated[str, AfterValidator(one_of("classifier keyword hybrid"))] = "hybrid"
    any_language: bool = False
    classifier: Annotated[ModalityModel | None, NOT_RUN] = None
    keywords: tuple[str, ...] = ()
    both_keywords: tuple[str, ...] = ()
    prompt_prefixes: Annotated[tuple[str, ...], NOT_RUN] = ()
    confidence_threshold: Unit | None = None
    lower_threshold_ratio: Unit | None = None


class Modules(Strict):
    prompt_compression: Annotated[Compression, NOT_RUN_IF_ON] = Compression()
    prompt_guard: PromptGuard = PromptGuard()
    classifier: Classifier = Classifier()
    complexity: Complexity = Complexity()
    hallucination_mitigation: Mitigation = Mitigation()
    feedback_detector: FeedbackDetector = FeedbackDetector()
    modality_detector: ModalityDetector = ModalityDetector()
