"""The classify endpoints, as part of the document of `openapi.py`."""

from __future__ import annotations

from orchestrator.server.classify_batch import TASKS
from orchestrator.server.classify_shapes import LOW
from orchestrator.server.openapi_parts import (
    COUNT,
    CUT,
    FLAG,
    IGNORED,
    MANY,
    MS,
    NAMED,
    READ,
    SAMPLED,
    SHARE,
    TEXT,
    UNREAD,
    Schema,
    closed,
    post,
    record,
    ref,
)
from orchestrator.signals import pii, user_feedback

LEAST: Schema = SHARE | {"description": "the policy's own threshold where it is absent"}
ACTION: Schema = {"enum": ["block", "allow"]}
KINDS: Schema = {"type": "array", "items": {"enum": [*pii.TYPES]}, "description": "none: all"}

INTENT_OPTIONS: dict[str, Schema] = dict(
    return_probabilities=FLAG,
    confidence_threshold=LEAST,
    evaluate_all_signals=FLAG | {"description": "also those that no decision uses"},
    trace=FLAG | {"description": "add eval_trace and projection_trace, as /api/v1/eval has them"},
    include_explanation=IGNORED,
)
PII_OPTIONS: dict[str, Schema] = dict(
    entity_types=KINDS,
    confidence_threshold=LEAST,
    return_positions=FLAG,
    mask_entities=FLAG | {"description": "add masked_value and masked_text"},
    reveal_entity_text=FLAG | {"description": "values instead of [DETECTED]"},
)
SECURITY_OPTIONS: dict[str, Schema] = dict(
    include_reasoning=FLAG, detection_types=IGNORED, sensitivity=IGNORED
)
VERDICT_OPTIONS: dict[str, Schema] = dict(confidence_threshold=IGNORED)
SUBJECTS = "one of the classifier's subjects, or classifier.domain.fallback_category of the policy"
AS_SIGNAL = "By the settings and the thresholds of the policy, as the signal of that name reads it."
INTENT = (
    "The subject of a text, and how it would be routed; nothing is forwarded",
    f"{AS_SIGNAL} Any field of a chat request counts. Below the threshold the subject is the "
    f"fallback category of the policy. {SAMPLED}",
)
PRIVACY = (
    "Personal data in a text, and the text without it",
    f"{AS_SIGNAL} What the model finds is united with what passes a check of its form.",
)
SECURITY = (
    "Whether a text attacks the model's instructions",
    f"{AS_SIGNAL} All of the text is read, in pieces; the piece with the highest risk counts.",
)
FACTS = ("Whether an answer to the text needs to be checked", f"{AS_SIGNAL} {SAMPLED}")
FEEDBACK = (
    "How a user takes the previous answer",
    f"{AS_SIGNAL} The text is taken for one that follows an answer. {SAMPLED}",
)
COMBINED = (
    "All of these about one text, asked at once",
    "Every part is what its own endpoint says, but that nothing is routed.",
)
BATCH = (
    "One of these, or all, about several texts",
    "A few texts are asked at a time, so that the requests of clients get in between. "
    "Of the task all, the statistics are those of the subjects.",
)


def schemas() -> dict[str, Schema]:
    """By name, for components.schemas."""
    return {**_questions(), **_answers()}


def paths(security: list[Schema]) -> dict[str, Schema]:
    """`security` is that of the management plane."""
    rows = (
        ("classify/intent", "IntentRequest", "IntentAnswer", INTENT),
        ("classify/pii", "PiiRequest", "PiiAnswer", PRIVACY),
        ("classify/security", "SecurityRequest", "SecurityAnswer", SECURITY),
        ("classify/fact-check", "TextRequest", "FactCheckAnswer", FACTS),
        ("classify/user-feedback", "TextRequest", "FeedbackAnswer", FEEDBACK),
        ("classify/combined", "CombinedRequest", "CombinedAnswer", COMBINED),
        ("classify/batch", "BatchRequest", "BatchAnswer", BATCH),
    )
    return {
        f"/api/v1/{path}": post(text, question, answer, security)
        for path, question, answer, text in rows
    }


def _questions() -> dict[str, Schema]:
    mixed = {**INTENT_OPTIONS, **PII_OPTIONS, **SECURITY_OPTIONS}
    mixed |= dict.fromkeys(("evaluate_all_signals", "trace"), IGNORED)  # nothing is routed
    every = mixed | {"confidence_threshold": IGNORED}
    task = {"enum": ["", *TASKS], "description": f"empty: {TASKS[0]}"}
    return {
        "IntentRequest": {"allOf": [ref("Asked"), record(options=closed(**INTENT_OPTIONS))]},
        "TextRequest": closed("text", text=READ, options=closed(**VERDICT_OPTIONS)),
        "PiiRequest": closed("text", text=READ, options=closed(**PII_OPTIONS)),
        "SecurityRequest": closed("text", text=READ, options=closed(**SECURITY_OPTIONS)),
        "CombinedRequest": closed("text", text=READ, options=closed(**every)),
        "BatchRequest": closed("texts", texts=MANY, task_type=task, options=closed(**mixed)),
    }


def _answers() -> dict[str, Schema]:
    classification = record(
        "category",
        "confidence",
        category={"type": "string", "description": SUBJECTS},
        confidence=SHARE | {"description": "the probability of the best subject"},
        processing_time_ms=MS,
        truncated=CUT,
    )
    entity = record(
        "type",
        "value",
        "confidence",
        type={"enum": [*pii.TYPES]},
        value=TEXT,
        confidence=SHARE,
        start_position=COUNT | {"description": "in characters of the text, from 0"},
        end_position=COUNT | {"description": "of the first character behind"},
        masked_value=TEXT | {"description": "[TYPE_n]; what overlaps has one name together"},
    )
    intent = dict(
        classification=classification,
        probabilities={"type": "object", "additionalProperties": SHARE},
    )
    routed = dict(
        recommended_model=TEXT,
        routing_decision=TEXT,
        matched_signals=NAMED,
        decision_result=record(
            decision_name=TEXT, confidence=SHARE, matched_rules={"type": "array", "items": TEXT}
        ),
        signal_errors={"type": "object", "additionalProperties": TEXT},
    )
    found = dict(
        category_distribution={"type": "object", "additionalProperties": COUNT},
        avg_confidence=SHARE,
        low_confidence_count=COUNT | {"description": f"confidences of less than {LOW}"},
    )
    said = dict(confidence=SHARE, processing_time_ms=MS, truncated=CUT)
    return {
        "IntentAnswer": record(*intent, **intent, **routed),
        "PiiAnswer": record(
            "has_pii",
            "entities",
            "security_recommendation",
            has_pii=FLAG,
            entities={"type": "array", "items": entity},
            masked_text=TEXT,
            security_recommendation=ACTION,
            processing_time_ms=MS,
            truncated=CUT,
            unreadable_text=UNREAD,
        ),
        "SecurityAnswer": record(
            "is_jailbreak",
            "risk_score",
            is_jailbreak=FLAG,
            risk_score=SHARE,
            detection_types={"type": "array", "items": TEXT},
            recommendation=ACTION,
            reasoning=TEXT,
            **said,
        ),
        "FactCheckAnswer": record("needs_fact_check", needs_fact_check=FLAG, label=TEXT, **said),
        "FeedbackAnswer": record(
            "feedback_type",
            feedback_type={"enum": [*user_feedback.LABELS]},
            label={"enum": [*user_feedback.LABELS.values()]},
            **said,
        ),
        "CombinedAnswer": record(
            intent=record("classification", **intent),
            pii=ref("PiiAnswer"),
            security=ref("SecurityAnswer"),
            fact_check=ref("FactCheckAnswer"),
            user_feedback=ref("FeedbackAnswer"),
            processing_time_ms=MS,
        ),
        "BatchAnswer": record(
            "results",
            "statistics",
            results={"type": "array", "items": {"type": "object"}},
            total_count=COUNT,
            processing_time_ms=MS,
            statistics=record(**found),
        ),
    }
