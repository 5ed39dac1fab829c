"""OpenAI Chat Completions: request bodies in, rewritten bodies and errors out.

The client's body is never re-modelled. `parse` reads what signals need and leaves the rest
alone; `rewrite` changes the model name and, where policy says so, the reasoning fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from orchestrator.errors import RequestError, RouterError
from orchestrator.protocols.reasoning import ReasoningChange, change_reasoning
from orchestrator.protocols.transcript import Transcript, json_bytes, utf8
from orchestrator.types import EMPTY, Identity, Request

IDENTITY_HEADERS = ("x-authz-user-id", "x-authz-user-groups")  # spec/config.md 1.6, authz

# spec/signals.md 2.0
METADATA_ENTRIES = 32
METADATA_KEY_BYTES = 128
METADATA_VALUE_BYTES = 1024

STRUCTURED = frozenset({"tools", "functions", "response_format"})


def parse(
    body: object,
    headers: Mapping[str, str],
    identity_headers: tuple[str, str] = IDENTITY_HEADERS,
    raw: bytes = b"",
) -> Request:
    """Read a decoded JSON body. `headers` have lower-case names; `identity_headers` are those
    that name the user and, comma-separated, the groups. RequestError names the malformed field.
    """
    if not isinstance(body, dict):
        raise RequestError("the body must be a JSON object")
    transcript = _transcript(body.get("messages"))
    user_texts, non_user_texts = transcript.user_texts, tuple(transcript.non_user_texts)
    current = user_texts[-1] if user_texts else ""
    text = current or " ".join(non_user_texts)
    definitions, structured = _structures(body)
    return Request(
        model=_model(body),
        text=text,
        user_text=current,
        prior_user_texts=tuple(user_texts[:-1]),
        non_user_texts=non_user_texts,
        has_assistant_reply=transcript.answered,
        images=tuple(transcript.images),
        metadata=_metadata(body.get("metadata")),
        shape=transcript.shape(definitions, structured, _reserved(body)),
        identity=_identity(headers, identity_headers),
        headers=headers,
        stream=_flag(body, "stream"),
        body=body,
        raw=raw,
    )


def rewrite(body: Mapping[str, Any], model_id: str, reasoning: ReasoningChange | None) -> bytes:
    """The body for the upstream: `model` and, given a change, the reasoning fields replaced.

    Every other field arrives as the client sent it; `body` itself is not changed. RequestError
    where it nests beyond what can be encoded (254 levels).
    """
    changed = {**body, "model": model_id}
    if reasoning is not None:
        change_reasoning(changed, reasoning)
    try:
        return orjson.dumps(changed)
    except orjson.JSONEncodeError as error:
        raise RequestError(f"the body cannot be encoded as JSON: {error}") from None


def error_body(error: RouterError) -> bytes:
    """What an OpenAI client reads of an error: message, type, param, code."""
    param = error.param if isinstance(error, RequestError) else None
    return _error(str(error) or error.code, error.kind, param, error.code)


def error_event(error: RouterError) -> bytes:
    """The same as one event of a stream. No `[DONE]` follows it: the answer is not whole."""
    return b"data: " + error_body(error) + b"\n\n"


def status_body(status: int, message: str, code: str) -> bytes:
    """The error of a request that no handler took: 404, 405, 415 ..."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return _error(message, kind, None, code)


def _error(message: str, kind: str, param: str | None, code: str) -> bytes:
    # Messages quote what the client sent, which may hold halves of surrogate pairs.
    readable = message.encode("utf-8", "replace").decode()
    field = param.encode("utf-8", "replace").decode() if param is not None else None
    return orjson.dumps(
        {"error": {"message": readable, "type": kind, "param": field, "code": code}}
    )


def _transcript(messages: object) -> Transcript:
    if messages is None:
        raise RequestError("messages is required", "messages")
    if not isinstance(messages, list):
        raise RequestError("messages must be a list", "messages")
    if not messages:
        raise RequestError("messages must hold at least one message", "messages")
    transcript = Transcript()
    for position, message in enumerate(messages):
        transcript.add(position, message)
    return transcript


def _model(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        raise RequestError("model must be a non-empty string", "model")
    return model


def _flag(body: Mapping[str, Any], field: str) -> bool:
    value = body.get(field)
    if value is not None and not isinstance(value, bool):
        raise RequestError(f"{field} must be true or false", field)
    return bool(value)


def _structures(body: Mapping[str, Any]) -> tuple[int, int]:
    """Tool definitions, and the bytes of every schema outside the messages."""
    if STRUCTURED.isdisjoint(body):
        return 0, 0
    sizes = (json_bytes(body[field], field) for field in STRUCTURED if body.get(field) is not None)
    return _length(body, "tools") + _length(body, "functions"), sum(sizes)


def _length(body: Mapping[str, Any], field: str) -> int:
    value = body.get(field)
    if value is None:
        return 0
    if not isinstance(value, list):
        raise RequestError(f"{field} must be a list", field)
    return len(value)


def _reserved(body: Mapping[str, Any]) -> int:
    """Output tokens asked for; 0 when the client leaves it to the model."""
    for field in ("max_completion_tokens", "max_tokens"):
        value = body.get(field)
        if value is None:
            continue
        whole = isinstance(value, float) and value.is_integer()
        if isinstance(value, bool) or not (whole or isinstance(value, int)):
            raise RequestError(f"{field} must be a whole number", field)
        return max(0, int(value))
    return 0


def _metadata(metadata: object) -> Mapping[str, str]:
    if metadata is None:
        return EMPTY
    if not isinstance(metadata, dict):
        raise RequestError("metadata must be an object", "metadata")
    if len(metadata) > METADATA_ENTRIES:
        raise RequestError(f"metadata has more than {METADATA_ENTRIES} entries", "metadata")
    for key, value in metadata.items():
        if not 1 <= utf8(key) <= METADATA_KEY_BYTES:
            raise RequestError(f"a metadata key is 1 to {METADATA_KEY_BYTES} bytes", "metadata")
        if not isinstance(value, str) or utf8(value) > METADATA_VALUE_BYTES:
            raise RequestError(
                f"a metadata value is a string of at most {METADATA_VALUE_BYTES} bytes",
                f"metadata.{key}",
            )
    return metadata


ANONYMOUS = Identity()


def _identity(headers: Mapping[str, str], names: tuple[str, str]) -> Identity:
    user, groups = headers.get(names[0]), headers.get(names[1])
    if not user and not groups:
        return ANONYMOUS
    members = (groups or "").split(",")
    return Identity(user or None, tuple(name for member in members if (name := member.strip())))
