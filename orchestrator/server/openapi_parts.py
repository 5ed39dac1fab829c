"""What the pieces of the OpenAPI document are made of."""

from __future__ import annotations

from typing import Any

from orchestrator.matching.pieces import MOST_READ
from orchestrator.server.classify_bodies import MOST_TEXTS, MOST_TOTAL, UNUSED
from orchestrator.server.unavailable import MORE_TOKENS, PATIENCE

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer"}
MS: Schema = {"type": "number", "description": "milliseconds"}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
COSINE: Schema = {"type": "number", "minimum": -1, "maximum": 1}
NAMED: Schema = {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}
UNREAD: Schema = {
    "type": "boolean",
    "description": "present where the model could not read some of the text: there may be more",
}
CUT: Schema = {"type": "boolean", "description": "present where only a part of the text was read"}
READ: Schema = {"type": "string", "description": f"not blank, at most {MOST_READ} bytes of UTF-8"}
MANY: Schema = {
    "type": "array",
    "items": READ,
    "minItems": 1,
    "maxItems": MOST_TEXTS,
    "description": f"at most {MOST_TOTAL} bytes of UTF-8 in all",
}

SAMPLED = "Of a text beyond 8 KiB a sample is read."
IGNORED: Schema = {"description": UNUSED}
UNLOADED = (
    "The model is not loaded, because no rule of the policy asks it, gives no trusted answers now, "
    f"or was too late: all may take {PATIENCE} times the deadline of one inference, and that once "
    f"more for each {MORE_TOKENS} tokens of text, about. The message says which, and what to do"
)


def closed(*required: str, **properties: Schema) -> Schema:
    """An object that has no other fields."""
    return {**record(*required, **properties), "additionalProperties": False}


def record(*required: str, **properties: Schema) -> Schema:
    """An object."""
    return {"type": "object", "properties": properties, "required": list(required)}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def post(text: tuple[str, str], question: str, answer: str, security: list[Schema]) -> Schema:
    """An operation of the management plane that asks a model; `text` is summary and description."""
    summary, description = text

    def content(name: str) -> Schema:
        return {"content": {"application/json": {"schema": ref(name)}}}

    error = content("ManagementError")
    retry = {"schema": COUNT, "description": "seconds; absent where trying again does not help"}
    away = {"description": UNLOADED, "headers": {"Retry-After": retry}, **error}
    return {
        "post": {
            "summary": summary,
            "description": description,
            "tags": ["management plane"],
            "security": security,
            "requestBody": {"required": True, **content(question)},
            "responses": {
                "200": {"description": "What was found", **content(answer)},
                "400": {
                    "description": "A field is wrong or not known; the message begins with it",
                    **error,
                },
                "422": {
                    "description": "A text is in a script that the model does not read; of "
                    "several, the message begins with which",
                    **error,
                },
                "503": away,
                "default": {"description": "A management error", **error},
            },
        }
    }
