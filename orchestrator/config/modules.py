"""`global.model_catalog.modules` (spec/config.md 1.6): settings of the signal models.

Field names are the format's. Where two settings name the same thing (`use_cpu`, `model_id`,
`use_mmbert_32k`), the reference chose its own in-process back end by them.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from orchestrator.config.compression import Compression
from orchestrator.config.fields import (
    NOT_RUN,
    NOT_RUN_IF_ON,
    Count,
    Name,
    NotRun,
    OneOf,
    Secrets,
    Strict,
    Unit,
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

    enabled: bool = True
    """Only examples that stand for others are compared; or else every one."""
    cluster_similarity_threshold: Unit = 0.9
    """From which on one example stands for another; 0 means the default."""
    max_prototypes: Count = 8
    """Of a class; 0 means the default."""
    best_weight: Unit = 0.75
    """Of the best example; the rest is the mean of the top_m; 0 means the default."""
    top_m: Count = 2
    """Examples whose mean counts; 0 means the default."""
    margin_threshold: Annotated[float, Field(ge=0), NotRun(_none)] = 0.0
    """By which the best class must lead the next one."""

    @field_validator("cluster_similarity_threshold", "max_prototypes", "best_weight", "top_m")
    @classmethod
    def _zero_is_default(cls, value: float, info: ValidationInfo) -> float:
        default: float = cls.model_fields[str(info.field_name)].default
        return value or default


class LeadScoring(PrototypeScoring):
    """The same, where the best class must lead the next one by `margin_threshold`."""

    margin_threshold: Annotated[float, Field(ge=0)] = 0.0
    """By which the best class must lead the next one."""


class Model(Strict):
    """What every model of a signal may say about itself; which one it is, the router decides."""

    model_ref: Annotated[Name | None, NOT_RUN] = None
    """Which model; the router's own answers."""
    model_id: Annotated[Name | None, NOT_RUN] = None
    """Which model; the router's own answers."""
    threshold: Unit | None = None
    """From which on its answer counts."""
    use_cpu: Annotated[bool, NOT_RUN] = True
    """Triton's configuration says so here."""
    use_modernbert: Annotated[bool, NOT_RUN] = False
    """Of the reference's models."""
    use_mmbert_32k: Annotated[bool, NOT_RUN] = True
    """Of the reference's models."""


class PromptGuard(Model):
    enabled: bool = True
    """Asks the classifier; without it, jailbreak rules of the classifier are not run."""
    threshold: Unit = 0.7
    """Of rules that give none."""
    variant: Annotated[Literal["candle", "mmbert32k", ""] | None, NotRun(_empty)] = None
    """Of the reference's models."""
    protocol: Annotated[Literal["http_chat", "http_classify", ""] | None, NotRun(_empty)] = None
    """Of an external guard."""
    jailbreak_mapping_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's models."""
    positive_labels: tuple[Name, ...] | None = None
    """Labels that mean an attack; not given: jailbreak."""
    on_error: Literal["", "allow", "block"] = "allow"
    """`block`: a rule that cannot be judged matches."""

    @model_validator(mode="after")
    def _one_way_to_the_model(self) -> Self:
        if self.variant and self.protocol:
            raise ValueError("variant and protocol exclude each other")
        return self


class Domain(Model):
    """`any_language` is ours, here and below: False leaves the rules unknown for a text in a
    language that the model's labels.json does not list."""

    enabled: bool | None = None
    """`false`: domain rules are not run."""
    threshold: Unit = 0.5
    """From which on a subject holds."""
    any_language: bool = False
    """Asks about texts in languages that the model reads badly too."""
    category_mapping_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's models."""
    fallback_category: Name = "other"
    """What the classify endpoints say of a text without a sure subject."""


class Mcp(Strict):
    enabled: bool = False
    """Asks a tool server for the subject."""
    transport_type: Literal["stdio", "http"] = "stdio"
    """How it is reached."""
    command: str | None = None
    """That starts it."""
    args: tuple[str, ...] = ()
    """Of the command."""
    env: Secrets = {}
    """Of the command."""
    url: str | None = None
    """Of a running one."""
    tool_name: Name | None = None
    """There."""
    threshold: Unit | None = None
    """From which on its answer counts."""
    timeout_seconds: Count | None = None
    """Of a call."""


class Pii(Model):
    enabled: bool | None = None
    """`false`: the model is not asked; what validators find still counts."""
    threshold: Unit = 0.9
    """Of rules that give none."""
    pii_mapping_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's models."""


def _contrastive(chosen: object) -> bool:
    return bool(chosen)


class Preference(Strict):
    use_contrastive: Annotated[bool, NotRun(_contrastive)] = True
    """By likeness to examples; or else by a language model."""
    embedding_model: Annotated[str | None, NOT_RUN] = None
    """The router's own encoder embeds."""
    prototype_scoring: LeadScoring = LeadScoring()
    """How examples of a rule become one score."""


class Classifier(Strict):
    domain: Domain = Domain()
    """The signal of that name."""
    mcp: Annotated[Mcp, NOT_RUN_IF_ON] = Mcp()
    """A tool server that knows the subject."""
    pii: Pii = Pii()
    """The signal of that name."""
    preference: Preference = Preference()
    """The signal of that name."""


class Complexity(Strict):
    prototype_scoring: PrototypeScoring = PrototypeScoring()
    """How examples of a side become one score."""


class FactCheck(Model):
    threshold: Unit = 0.6
    """From which on facts need checking."""
    any_language: bool = False
    """Asks about texts in languages that the model reads badly too."""


class Detector(Model):
    backend: Literal["candle", "endpoint"] = "candle"
    """That runs it."""
    endpoint: str = ""
    """Its URL."""
    include_explanation: bool = False
    """Of each finding."""
    threshold: Unit = 0.8
    """From which on a claim has no ground."""
    min_span_length: Count = 2
    """In tokens."""
    min_span_confidence: Unit = 0.6
    """Of a finding."""
    context_window_size: Count = 50
    """In tokens, around a finding."""
    enable_nli_filtering: bool = True
    """Asks the explainer about each finding."""
    nli_entailment_threshold: Unit = 0.75
    """From which on a finding is dropped."""


class Explainer(Model):
    threshold: Unit = 0.9
    """From which on its answer counts."""


class Mitigation(Strict):
    enabled: Annotated[bool, NotRun(_false)] = False
    """Checks answers against what they were given."""
    on_hallucination_detected: Annotated[Name | None, NOT_RUN] = None
    """What is done then."""
    fact_check: FactCheck = FactCheck()
    """The signal of that name; runs whatever `enabled` says."""
    detector: Annotated[Detector, NOT_RUN] = Detector()
    """Finds claims without ground."""
    explainer: Annotated[Explainer, NOT_RUN] = Explainer()
    """Says what contradicts them."""


class FeedbackDetector(Model):
    enabled: bool = True
    """`false`: user_feedback rules are not run."""
    threshold: Unit = 0.7
    """From which on a verdict counts."""
    any_language: bool = False
    """Asks about texts in languages that the model reads badly too."""
    feedback_mapping_path: Annotated[str | None, NOT_RUN] = None
    """Of the reference's models."""


class ModalityModel(Strict):
    model_path: str | None = None
    """Of the reference's models."""
    use_cpu: bool = True
    """Triton's configuration says so here."""


class ModalityDetector(Strict):
    enabled: bool = False
    """`false`: modality rules are not run."""
    method: Annotated[str, AfterValidator(OneOf("classifier keyword hybrid"))] = "hybrid"
    """By the model, by words, or by the model and then words."""
    any_language: bool = False
    """Asks about texts in languages that the model reads badly too."""
    classifier: Annotated[ModalityModel | None, NOT_RUN] = None
    """Of the reference's models."""
    keywords: tuple[str, ...] = ()
    """Words that ask for a picture."""
    both_keywords: tuple[str, ...] = ()
    """Words that ask for a picture and text."""
    prompt_prefixes: Annotated[tuple[str, ...], NOT_RUN] = ()
    """Taken off before a picture is drawn."""
    confidence_threshold: Unit | None = None
    """For hybrid: from which on the model counts by itself; 0 or not given: 0.6."""
    lower_threshold_ratio: Unit | None = None
    """For hybrid: share of it from which on the model beats words; 0 or not given: 0.7."""


class Modules(Strict):
    prompt_compression: Annotated[Compression, NOT_RUN_IF_ON] = Compression()
    """Shorter texts for signals."""
    prompt_guard: PromptGuard = PromptGuard()
    """The signal jailbreak."""
    classifier: Classifier = Classifier()
    """Subjects, personal data and preferences."""
    complexity: Complexity = Complexity()
    """The signal of that name."""
    hallucination_mitigation: Mitigation = Mitigation()
    """Checks of answers, and the signal fact_check."""
    feedback_detector: FeedbackDetector = FeedbackDetector()
    """The signal user_feedback."""
    modality_detector: ModalityDetector = ModalityDetector()
    """The signal modality."""
