"""POST /api/v1/classify/...: what the text classifier says of a text, without routing it.

`intent` routes it too, without forwarding: by the same code as /api/v1/eval.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from orchestrator.config.schema import Config
from orchestrator.errors import RequestError, Unavailable
from orchestrator.inference import Inference
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.pipeline import Pipeline
from orchestrator.server import classify_bodies as bodies
from orchestrator.server.classify_answers import Answers
from orchestrator.server.classify_batch import TASKS, answer_batch, everything
from orchestrator.server.classify_shapes import Json
from orchestrator.server.evaluate import asked
from orchestrator.server.explanation import explain
from orchestrator.server.management import Endpoint, json_response, read_json
from orchestrator.server.unavailable import Serve, Served, patient
from orchestrator.types import EMPTY, Request

UNAVAILABLE = "UNIFIED_CLASSIFIER_UNAVAILABLE"
NOT_LOADED = (
    f"the model {TEXT_SIGNALS} is not loaded, because no rule of the policy asks it: add a rule "
    "to one of the sections domains, jailbreak, pii, fact_check, user_feedbacks or modality of "
    "routing.signals"
)
ROUTED = ("routing_decision", "signal_errors", "eval_trace", "projection_trace")  # as of eval

Body = Mapping[str, Any]
Answer = Callable[[Body, Mapping[str, str]], Awaitable[Json]]  # body, lower-case headers


class Classify:
    """The handlers, and where they are mounted. `serve` and `pipeline` give what is in force."""

    def __init__(
        self,
        serve: Serve,
        pipeline: Callable[[], Pipeline],
        config: Config,
        identity_headers: tuple[str, str],
    ) -> None:
        self._serve = serve
        self._pipeline = pipeline
        self._identity_headers = identity_headers
        self._answers = Answers(config)

    def endpoints(self) -> list[Endpoint]:
        table: list[tuple[str, str, Answer]] = [
            ("/intent", "The subject of a text, and how it would be routed", self.intent),
            ("/pii", "Personal data in a text, and the text without it", self.pii),
            ("/security", "Whether a text attacks the model's instructions", self.security),
            ("/fact-check", "Whether an answer needs to be checked", self.facts),
            ("/user-feedback", "How a user takes the previous answer", self.feedback),
            ("/combined", "All of these about one text, asked at once", self.combined),
            ("/batch", "One of these, or all, about several texts", self.batch),
        ]
        return [
            Endpoint("POST", f"/api/v1/classify{path}", "classify.invoke", summary, _handler(ask))
            for path, summary, ask in table
        ]

    async def intent(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        """Raises what `evaluate` raises, and Unavailable."""
        options = bodies.of_intent(body)
        served, pipeline = self._served(), self._pipeline()
        request = asked(pipeline, body, headers, self._identity_headers)
        if not request.text.strip():
            raise RequestError("messages: they hold no text", "messages")
        # Both at once, so that what the policy asks about the same text travels along.
        routing = asyncio.create_task(_routing(pipeline, request, options))
        try:
            async with patient(served, UNAVAILABLE, TEXT_SIGNALS, [request.text]) as inference:
                said = await self._answers.intent(inference, request, options)
            return said | await routing
        finally:
            routing.cancel()
            await asyncio.gather(routing, return_exceptions=True)

    async def pii(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.Pii, body)
        async with self._reading(given.text) as inference:
            return await self._answers.pii(inference, given.text, given.options)

    async def security(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.Security, body)
        async with self._reading(given.text) as inference:
            return await self._answers.security(inference, given.text, given.options)

    async def facts(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.OneText, body)
        async with self._reading(given.text) as inference:
            return await self._answers.facts(inference, given.text)

    async def feedback(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.OneText, body)
        async with self._reading(given.text) as inference:
            return await self._answers.feedback(inference, given.text)

    async def combined(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.Combined, body)
        async with self._reading(given.text) as inference:
            return await everything(self._answers, inference, given.text, given.options)

    async def batch(self, body: Body, headers: Mapping[str, str] = EMPTY) -> Json:
        given = bodies.parsed(bodies.Batch, body)
        if given.task_type and given.task_type not in TASKS:
            found = given.task_type[: bodies.SHOWN]
            said = f"task_type: expected one of {', '.join(TASKS)}, found {found!r}"
            raise RequestError(said, "task_type")
        async with self._reading(*given.texts) as inference:
            return await answer_batch(self._answers, inference, given)

    @asynccontextmanager
    async def _reading(self, *texts: str) -> AsyncIterator[Inference]:
        async with patient(self._served(), UNAVAILABLE, TEXT_SIGNALS, texts) as inference:
            yield inference

    def _served(self) -> Served:
        served = self._serve()
        if TEXT_SIGNALS not in served.models:
            raise Unavailable(UNAVAILABLE, NOT_LOADED)
        return served


async def _routing(pipeline: Pipeline, request: Request, options: bodies.IntentOptions) -> Json:
    """Raises what `Pipeline.route` raises."""
    route = await pipeline.route(request, options.evaluate_all_signals)
    policy = pipeline.policies[route.recipe or ""]
    told = explain(route, policy, request, "", options.trace)
    result = told["decision_result"]
    used = policy.engine.leaves_of(route.verdict.decision) if route.verdict else {}
    readings = route.facts.readings
    return {
        "recommended_model": told["answering_model"],
        "matched_signals": result["matched_signals"],
        "decision_result": {
            "decision_name": result["decision_name"],
            "confidence": result["confidence"],
            "matched_rules": [
                f"{family}:{rule}"
                for family, rules in used.items()
                for rule in rules
                if family in readings and rule in readings[family].matches
            ],
        },
        **{field: told[field] for field in ROUTED if field in told},
    }


def _handler(answer: Answer) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        return json_response(await answer(await read_json(request), headers))

    return handle
