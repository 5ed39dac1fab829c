"""The request of a probe, written out in full: filler, generated text and pictures included."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import orjson

from orchestrator.errors import BodyTooLarge
from orchestrator.probes.load import IMAGE_FIXTURE, Probe, text_bytes
from orchestrator.probes.schema import GeneratedText, Image, ProbeFile, Variant

MAX_BODY_BYTES = 10 * 1024 * 1024  # of the management API


def body_of(probe: Probe, file: ProbeFile) -> dict[str, Any]:
    """The JSON for POST /api/v1/eval. Raises BodyTooLarge beyond what the API takes."""
    variant = probe.variant
    body: dict[str, Any] = {}
    if variant.messages:
        body["messages"] = _messages(variant, file.fixtures.images if file.fixtures else {})
    else:
        body["text"] = _text(variant)
    if probe.decision.model:
        body["model"] = probe.decision.model
    if variant.tools:
        body["tools"] = list(variant.tools)
    if variant.tool_choice is not None:
        body["tool_choice"] = variant.tool_choice
    size = len(orjson.dumps(body))
    if size > MAX_BODY_BYTES:
        raise BodyTooLarge(f"probe {probe.id} makes a request of {size} bytes")
    return body


def _text(variant: Variant) -> str:
    query = "\n".join([variant.query or ""] * variant.repeat)
    padding = variant.padding
    if padding is None:
        return query
    lines = [padding.text] * padding.repeat
    before = {"before": len(lines), "after": 0, "around": len(lines) // 2}[padding.placement]
    return "\n".join([*lines[:before], query, *lines[before:]])


def _messages(variant: Variant, images: Mapping[str, Image]) -> list[dict[str, Any]]:
    messages = copy.deepcopy(list(variant.messages))
    if variant.generated_text:
        _fill(messages, variant.generated_text)
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            message["content"] = [_shown(part, images) for part in content]
    return messages


def _fill(messages: list[dict[str, Any]], generated: GeneratedText) -> None:
    content = messages[generated.message_index]["content"]
    missing = generated.target_text_bytes - text_bytes(content)
    run = {"type": "text", "text": generated.character * missing}
    content.insert(generated.content_index, run)


def _shown(part: dict[str, Any], images: Mapping[str, Image]) -> dict[str, Any]:
    if part.get("type") != IMAGE_FIXTURE:
        return part
    image = images[part["fixture"]]
    url = f"data:{image.media_type};base64,{image.data_base64}"
    return {"type": "image_url", "image_url": {"url": url}}
