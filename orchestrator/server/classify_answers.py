"""A text to the JSON that says what was found in it."""

from __future__ import annotations

import time

from orchestrator.config.schema import Config
from orchestrator.inference import Inference
from orchestrator.inference.questions import TEXT_SIGNALS
from orchestrator.inference.unreadable import refusal
from orchestrator.server import classify_shapes as shapes
from orchestrator.server.classification import Classification
from orchestrator.server.classify_bodies import (
    IntentOptions,
    PiiOptions,
    SecurityOptions,
)
from orchestrator.server.classify_shapes import Json
from orchestrator.types import Request


class Answers:
    """Methods raise InferenceError."""

    def __init__(self, config: Config) -> None:
        self._known = Classification(config)

    async def intent(self, inference: Inference, request: Request, options: IntentOptions) -> Json:
        started = time.perf_counter()
        said = await self._known.intent(inference, request, options.confidence_threshold)
        return shapes.intent(said, options, time.perf_counter() - started)

    async def pii(self, inference: Inference, text: str, options: PiiOptions) -> Json:
        started = time.perf_counter()
        found = await self._known.privacy(inference, text)
        least = options.confidence_threshold
        least = self._known.private_from if least is None else least
        said = shapes.privacy(found, options, least, time.perf_counter() - started)
        if found.unreadable and not said["has_pii"]:  # that there is none is not known
            raise refusal(TEXT_SIGNALS)
        return said

    async def security(self, inference: Inference, text: str, options: SecurityOptions) -> Json:
        started = time.perf_counter()
        said = await self._known.security(inference, text)
        least = self._known.attack_from if options.include_reasoning else None
        return shapes.security(said, least, time.perf_counter() - started)

    async def facts(self, inference: Inference, text: str) -> Json:
        started = time.perf_counter()
        said = await self._known.facts(inference, text)
        return shapes.facts(said, time.perf_counter() - started)

    async def feedback(self, inference: Inference, text: str) -> Json:
        started = time.perf_counter()
        said = await self._known.feedback(inference, text)
        return shapes.feedback(said, time.perf_counter() - started)
