"""Answers of the classify endpoints, as the reference router writes them (spec/http.md 7.2). Pure.

`truncated` is an addition: a part of the text was read. So is `unreadable_text` of personal data:
what was found is there, and the model could not read all of the text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from orchestrator.inference import Entity
from orchestrator.server.classification import Privacy, Verdict
from orchestrator.server.classify_bodies import IntentOptions, PiiOptions
from orchestrator.signals import fact_check, jailbreak, pii, user_feedback

HIDDEN = "[DETECTED]"  # instead of what was found
LOW = 0.7  # a confidence of less counts as low in statistics
Json = dict[str, Any]


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def intent(verdict: Verdict, options: IntentOptions, seconds: float) -> Json:
    classification: Json = {
        "category": verdict.name,
        "confidence": verdict.confidence,
        "processing_time_ms": milliseconds(seconds),
    }
    if verdict.truncated:
        classification["truncated"] = True
    shape: Json = {"classification": classification}
    if options.return_probabilities:
        shape["probabilities"] = dict(verdict.shares)
    return shape


def privacy(found: Privacy, options: PiiOptions, threshold: float, seconds: float) -> Json:
    """`threshold`: from which score on something counts."""
    wanted = frozenset(options.entity_types or pii.TYPES)
    kept = [one for one in found.entities if one.label in wanted and one.score >= threshold]
    names, masked = mask(found.text, kept)
    rows = zip(kept, names, strict=True)
    shape: Json = {
        "has_pii": bool(kept),
        "entities": [_entity(found.text, one, name, options) for one, name in rows],
        "security_recommendation": "block" if kept else "allow",
        "processing_time_ms": milliseconds(seconds),
    }
    if options.mask_entities:
        shape["masked_text"] = masked
    if found.unreadable:
        shape["unreadable_text"] = True
    return _marked(shape, found.truncated)


def _entity(text: str, one: Entity, name: str, options: PiiOptions) -> Json:
    row: Json = {
        "type": one.label,
        "value": text[one.start : one.stop] if options.reveal_entity_text else HIDDEN,
        "confidence": one.score,
    }
    if options.return_positions:  # characters; `end_position` is the first one behind
        row |= {"start_position": one.start, "end_position": one.stop}
    if options.mask_entities:
        row["masked_value"] = name
    return row


def mask(text: str, entities: Sequence[Entity]) -> tuple[list[str], str]:
    """What stands for each of `entities`, which come by position, and the text with that.

    Pieces that overlap become one, named after the surest of them. The same words of a type have
    the same number.
    """
    names: list[str] = []
    parts: list[str] = []
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    last = 0
    for group in _groups(entities):
        start, stop = group[0].start, max(one.stop for one in group)
        label = max(group, key=lambda one: one.score).label
        known = numbers[label]
        number = known.setdefault(text[start:stop], len(known) + 1)
        name = f"[{label}_{number}]"
        parts += (text[last:start], name)
        names += [name] * len(group)
        last = stop
    return names, "".join((*parts, text[last:]))


def _groups(entities: Iterable[Entity]) -> Iterator[list[Entity]]:
    group: list[Entity] = []
    stop = 0
    for one in entities:
        if group and one.start >= stop:
            yield group
            group = []
        group.append(one)
        stop = max(stop, one.stop) if len(group) > 1 else one.stop
    if group:
        yield group


def security(verdict: Verdict, threshold: float | None, seconds: float) -> Json:
    """With the reasoning where a `threshold` is given."""
    risk = verdict.shares[jailbreak.POSITIVE[0]]
    shape: Json = {
        "is_jailbreak": verdict.sure,
        "risk_score": risk,
        "detection_types": [verdict.name] if verdict.sure else [],
        "confidence": verdict.confidence,
        "recommendation": "block" if verdict.sure else "allow",
        "processing_time_ms": milliseconds(seconds),
    }
    if threshold is not None:
        reached = "reaches" if verdict.sure else "is below"
        shape["reasoning"] = f"the risk {risk:.3f} {reached} the threshold {threshold:g}"
    return _marked(shape, verdict.truncated)


def facts(verdict: Verdict, seconds: float) -> Json:
    needed = verdict.name == "needs_fact_check"
    shape: Json = {
        "needs_fact_check": needed,
        "label": fact_check.NEEDED if needed else fact_check.NOT_NEEDED,
        "confidence": verdict.confidence,
        "processing_time_ms": milliseconds(seconds),
    }
    return _marked(shape, verdict.truncated)


def feedback(verdict: Verdict, seconds: float) -> Json:
    shape: Json = {
        "feedback_type": verdict.name,
        "label": user_feedback.LABELS[verdict.name],
        "confidence": verdict.confidence,
        "processing_time_ms": milliseconds(seconds),
    }
    return _marked(shape, verdict.truncated)


def statistics(said: Iterable[tuple[str, float]]) -> Json:
    """Of what was found in all texts: names, and how sure each is."""
    pairs = list(said)
    confidences = [confidence for _, confidence in pairs]
    return {
        "category_distribution": dict(Counter(name for name, _ in pairs)),
        "avg_confidence": sum(confidences) / len(confidences) if confidences else 0.0,
        "low_confidence_count": sum(confidence < LOW for confidence in confidences),
    }


def _marked(shape: Json, truncated: bool) -> Json:
    return {**shape, "truncated": True} if truncated else shape
