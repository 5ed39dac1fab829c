"""A small probe file, and an answer that passes it."""

import copy
from typing import Any

import yaml

from orchestrator.probes.load import Probe, parse
from orchestrator.probes.schema import ProbeFile

# A red pixel.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8"
    "z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
PIXEL_SHA256 = "sha256:bc09c2590d2502c8ffaf1a3c09aa89df222e03d186a8daa0c7fce6321fb6e928"

IMAGE = {
    "description": "a pixel",
    "media_type": "image/png",
    "sha256": PIXEL_SHA256,
    "data_base64": PIXEL,
}
PARTS = [{"role": "user", "content": [{"type": "text", "text": "abc"}]}]

DOCUMENT: dict[str, Any] = {
    "schema_version": "v1",
    "name": "small",
    "decisions": [
        {
            "id": "law",
            "expected_decision": "lawyer",
            "expected_algorithm": "static",
            "expected_alias": "big",
            "expected_plugins": ["system_prompt"],
            "expected_signals": {"words": ["urgent"]},
            "forbidden_signals": {"topics": ["cooking"]},
            "variants": [{"id": "sue", "query": "Sue them now!", "tags": ["language:en"]}],
        }
    ],
}

ANSWER: dict[str, Any] = {
    "requested_model": "auto",
    "recipe": "default",
    "routing_decision": "lawyer",
    "decision_result": {
        "decision_name": "lawyer",
        "algorithm": "static",
        "plugins": ["system_prompt"],
        "matched_signals": {"words": ["urgent", "polite"], "topics": []},
    },
    "recommended_models": ["big", "small"],
    "selected_model": "big",
    "selection_status": "selected",
    "selection_method": "static",
    "signal_errors": {},
    "eval_trace": [
        {"decision_name": "lawyer", "matched": True},
        {"decision_name": "long", "matched": False},
    ],
}


def edited(original: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """A copy with values replaced, added or (None) removed; keys are dotted paths."""
    copied = copy.deepcopy(original)
    for path, value in edits.items():
        *parents, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = copied
        for step in parents:
            place = place[step]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return copied


def a_file(document: dict[str, Any] = DOCUMENT) -> tuple[ProbeFile, tuple[Probe, ...]]:
    return parse(yaml.safe_dump(document, sort_keys=False, allow_unicode=True), "probes.yaml")


def a_probe(**edits: Any) -> Probe:
    """The file's probe; keys are paths below its decision (`variants__0__query`)."""
    renamed = {f"decisions.0.{key.replace('__', '.')}": value for key, value in edits.items()}
    return a_file(edited(DOCUMENT, renamed))[1][0]
