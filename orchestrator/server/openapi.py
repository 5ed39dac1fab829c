"""The HTTP API as an OpenAPI 3.1 document, written by hand: both planes on one page.

A test compares its paths with the mounted routes, so that neither can change alone. Bodies of the
OpenAI dialect are described by what the router reads; any other field passes through untouched.
"""

from __future__ import annotations

from orchestrator.server import openapi_classify, openapi_config, openapi_embeddings
from orchestrator.server.openapi_parts import (
    FLAG,
    IGNORED,
    NUMBER,
    SHARE,
    TEXT,
    Schema,
    closed,
    record,
    ref,
)

NAMES: Schema = {"type": "array", "items": TEXT}
# Where management_api.auth has the mode `bearer`; /health is open even then.
SECURITY: list[Schema] = [{}, {"bearer": []}]
OBJECTS: Schema = {"type": "array", "items": {"type": "object"}}
EVAL_OPTIONS: dict[str, Schema] = dict(
    trace=FLAG | {"description": "the same as the query's"},
    evaluate_all_signals=FLAG | {"description": "false: only those that decisions use"},
    return_probabilities=FLAG | {"description": "add probabilities: what classifiers say"},
    include_explanation=FLAG | {"description": "add explanation: the route in sentences"},
    confidence_threshold=IGNORED,
)
TRACE = "add the trees and the projections; true or false, anything else is a 400"
DIRECTIVES = "what the decision says beside its models, by key; not_run: what is not acted upon"


def _by_name(value: Schema) -> Schema:
    return {"type": "object", "additionalProperties": value}


def _content(schema: Schema, kind: str = "application/json") -> Schema:
    return {"content": {kind: {"schema": schema}}}


def _answer(text: str, schema: Schema, kind: str = "application/json") -> Schema:
    return {"description": text, **_content(schema, kind)}


def _schemas() -> dict[str, Schema]:
    signals = _by_name(NAMES)
    asked: Schema = {"type": "string", "description": "a routed name, or a backend model"}
    chat = dict(model=asked, messages=OBJECTS, tools=OBJECTS, metadata=_by_name(TEXT))
    return {
        "Error": record("error", error=record("message", "type", "code", param=TEXT)),
        "ManagementError": record("error", error=record("code", "message", "timestamp")),
        "ChatRequest": record("model", "messages", **chat, stream=FLAG),
        "Model": record("id", "object", id=TEXT, object=TEXT, created=NUMBER, owned_by=TEXT),
        "ModelList": record(
            "object", "data", object=TEXT, data={"type": "array", "items": ref("Model")}
        ),
        "Asked": {
            **record(text=TEXT, **chat),
            "anyOf": [{"required": ["text"]}, {"required": ["messages"]}],
            "description": "any field of a chat request counts; pictures are data URIs",
        },
        "EvalRequest": {"allOf": [ref("Asked"), record(options=closed(**EVAL_OPTIONS))]},
        "EvalAnswer": record(
            "decision_result",
            "selection_status",
            original_text=TEXT,
            requested_model=TEXT,
            recipe=TEXT,
            decision_result=record(
                decision_name=TEXT,
                confidence=NUMBER,
                confidence_measured=FLAG,
                algorithm=TEXT,
                plugins=NAMES,
                used_signals=signals,
                matched_signals=signals,
                unmatched_signals=signals,
            ),
            eval_trace=OBJECTS,
            projection_trace={"type": "object"},
            recommended_models=NAMES,
            selected_model=TEXT,
            answering_model=TEXT,
            selection_status=TEXT,
            selection_method=TEXT,
            selection_reason=TEXT,
            selection_confidence={"type": ["number", "null"]},
            selection_scores=OBJECTS,
            routing_decision=TEXT,
            directives={"type": "object", "description": DIRECTIVES},
            metrics=_by_name(record(execution_time_ms=NUMBER, confidence=NUMBER)),
            signal_confidences=_by_name(NUMBER),
            signal_values=_by_name(NUMBER),
            signal_errors=_by_name(TEXT),
            signals_unknown=_by_name(TEXT),
            probabilities=_by_name(_by_name(SHARE)),
            explanation=NAMES,
        ),
        "Ready": record(
            "status",
            "triton",
            "models",
            status=TEXT,
            triton=OBJECTS,
            models=OBJECTS,
            config={
                "type": "object",
                "description": "the policy in force, its file, the last reload",
            },
        ),
        "StartupStatus": record("phase", "ready", phase=TEXT, ready=FLAG, pending_models=NAMES),
        "Index": record("service", "endpoints", service=TEXT, endpoints=OBJECTS),
        **openapi_classify.schemas(),
        **openapi_embeddings.schemas(),
        **openapi_config.schemas(),
    }


def _data_plane() -> dict[str, Schema]:
    errors = {"default": _answer("An OpenAI error", ref("Error"))}
    streamed = {"text/event-stream": {"schema": TEXT}, "application/json": {"schema": {}}}
    return {
        "/v1/chat/completions": {
            "post": {
                "summary": "Route a chat request and forward it",
                "tags": ["data plane"],
                "requestBody": {"required": True, **_content(ref("ChatRequest"))},
                "responses": {
                    "200": {"description": "The chosen model's answer", "content": streamed},
                    **errors,
                },
            }
        },
        "/v1/models": {
            "get": {
                "summary": "Names a client may ask for",
                "tags": ["data plane"],
                "responses": {"200": _answer("The list", ref("ModelList")), **errors},
            }
        },
        "/v1/models/{id}": {
            "get": {
                "summary": "One of them",
                "tags": ["data plane"],
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": TEXT}],
                "responses": {"200": _answer("The model", ref("Model")), **errors},
            }
        },
    }


def _get(
    summary: str, answer: Schema, security: list[Schema] = SECURITY, **others: Schema
) -> Schema:
    errors = {"default": _answer("A management error", ref("ManagementError"))}
    statuses = {status.lstrip("_"): schema for status, schema in others.items()}
    return {
        "get": {
            "summary": summary,
            "tags": ["management plane"],
            "security": security,
            "responses": {"200": answer, **statuses, **errors},
        }
    }


def _management_plane() -> dict[str, Schema]:
    ready = _answer("Triton, and the models that the policy needs", ref("Ready"))
    alive = _answer("Alive", record("status", status=TEXT))
    trace = {"name": "trace", "in": "query", "schema": FLAG, "description": TRACE}
    return {
        "/health": _get("The process is alive", alive, security=[]),
        "/ready": _get("It takes traffic", ready, _503=ready),
        "/startup-status": _get("How far start-up is", _answer("Progress", ref("StartupStatus"))),
        "/metrics": _get("Prometheus metrics", _answer("The text format", TEXT, "text/plain")),
        "/openapi.json": _get("This document", _answer("OpenAPI 3.1", {"type": "object"})),
        "/api/v1": _get("The endpoints of this plane", _answer("The list", ref("Index"))),
        "/api/v1/eval": {
            "post": {
                "summary": "How a request would be routed, and why; nothing is forwarded",
                "tags": ["management plane"],
                "security": SECURITY,
                "parameters": [trace],
                "requestBody": {"required": True, **_content(ref("EvalRequest"))},
                "responses": {
                    "200": _answer("The route and its reasons", ref("EvalAnswer")),
                    "default": _answer("A management error", ref("ManagementError")),
                },
            }
        },
        **openapi_classify.paths(SECURITY),
        **openapi_embeddings.paths(SECURITY),
        **openapi_config.paths(SECURITY),
    }


def document(version: str) -> Schema:
    """The whole document; `version` is the router's."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "triton-semantic-router",
            "version": version,
            "description": "The data plane speaks the OpenAI dialect; the management plane is for "
            "operators and listens on the loopback address by default.",
        },
        "paths": _data_plane() | _management_plane(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }
