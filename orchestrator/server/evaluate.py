"""POST /api/v1/eval: how a request would be routed, and why, without forwarding it.

The body becomes a chat body and goes through the parser and the pipeline that serve
/v1/chat/completions: there is no second way to an answer. The JSON is the reference router's
(spec/http.md 7.2), so that its conformance runner can score us; `signals_unknown` is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from orchestrator.errors import ModelNotFound, RequestError
from orchestrator.pipeline import Pipeline
from orchestrator.protocols import chat_completions
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.explanation import explain, probabilities
from orchestrator.server.management import Endpoint, json_response, read_json
from orchestrator.server.narration import sentences
from orchestrator.types import EMPTY, Request

OWN_FIELDS = frozenset({"text", "options"})  # of this API; everything else is a chat body


async def evaluate(
    pipeline: Pipeline,
    body: Mapping[str, Any],
    trace: bool = False,
    headers: Mapping[str, str] = EMPTY,
    identity_headers: tuple[str, str] = chat_completions.IDENTITY_HEADERS,
) -> dict[str, Any]:
    """Route `body` ({text} or {messages}, and any field of a chat request) and explain the route.

    Every declared signal is evaluated, needed by a decision or not, unless the option
    `evaluate_all_signals` is false. `trace`, or the option of that name, adds the decision trees
    and the projections. `headers` have lower-case names; `identity_headers` are those that name
    the user and the groups.
    Raises RequestError for a malformed or empty request, ModelNotFound for a name that no recipe
    answers to (a backend model's name is one: nothing is decided about it).
    """
    options = bodies.parsed(bodies.Eval, body).options
    request = asked(pipeline, body, headers, identity_headers)
    route = await pipeline.route(request, every_signal=options.evaluate_all_signals)
    policy = pipeline.policies[route.recipe or ""]
    name = str(body.get("model") or "").strip()
    answer = explain(route, policy, request, name, trace or options.trace)
    if options.return_probabilities:
        answer["probabilities"] = probabilities(route.facts, policy.declared)
    if options.include_explanation:
        answer["explanation"] = list(sentences(route, policy))
    return answer


def asked(
    pipeline: Pipeline,
    body: Mapping[str, Any],
    headers: Mapping[str, str] = EMPTY,
    identity_headers: tuple[str, str] = chat_completions.IDENTITY_HEADERS,
) -> Request:
    """The request that `body` stands for; takes and raises what `evaluate` does."""
    chat = chat_body(body, pipeline.names.default)
    request = chat_completions.parse(chat, headers, identity_headers)
    if request.model in pipeline.names.models and request.model not in pipeline.names.recipes:
        raise ModelNotFound(f"{request.model!r} is a backend model; nothing decides about it")
    return request


def chat_body(body: Mapping[str, Any], default_model: str) -> dict[str, Any]:
    """The chat request's body that `body` stands for. RequestError names the malformed field."""
    text, options, model = body.get("text"), body.get("options"), body.get("model")
    if not isinstance(text, str | None):
        raise RequestError("text must be a string", "text")
    if not isinstance(options, dict | None):
        raise RequestError("options must be an object", "options")
    if not isinstance(model, str | None):
        raise RequestError("model must be a string", "model")
    chat = {field: value for field, value in body.items() if field not in OWN_FIELDS}
    chat["model"] = (model or "").strip() or default_model
    if not chat.get("messages"):
        if not (text and text.strip()):
            raise RequestError("text cannot be empty", "text")
        chat["messages"] = [{"role": "user", "content": text}]
    return chat


def _flag(query: Mapping[str, str], name: str) -> bool:
    value = query.get(name, "false")
    if value not in ("true", "false"):
        raise RequestError(f"{name} must be true or false", name)
    return value == "true"


class Evaluate:
    """The handler, and where it is mounted. `pipeline` gives the one in force."""

    def __init__(
        self,
        pipeline: Callable[[], Pipeline],
        identity_headers: tuple[str, str] = chat_completions.IDENTITY_HEADERS,
    ) -> None:
        self._pipeline = pipeline
        self._identity_headers = identity_headers

    def endpoints(self) -> list[Endpoint]:
        return [
            Endpoint(
                "POST",
                "/api/v1/eval",
                "classify.invoke",
                "How a request would be routed, and why",
                self.handle,
            )
        ]

    async def handle(self, request: web.Request) -> web.Response:
        body = await read_json(request)
        headers = {name.lower(): value for name, value in request.headers.items()}
        trace = _flag(request.query, "trace")
        answer = await evaluate(self._pipeline(), body, trace, headers, self._identity_headers)
        return json_response(answer)
