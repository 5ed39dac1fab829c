"""Asks a running router instead of the models: its classify endpoints (spec/http.md 7.2).

They judge, and tell the probabilities of some tasks only; entities come united with what the
validators found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from orchestrator.errors import RequestError, UpstreamError, UpstreamUnavailable
from orchestrator.inference import Entity
from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import Ask, Said
from orchestrator.server.classify_batch import INTENT, SECURITY
from orchestrator.server.classify_bodies import MOST_TOTAL
from orchestrator.signals import domain, fact_check, jailbreak, pii

Json = Mapping[str, Any]
OPTIONS = {"return_probabilities": True, "return_positions": True, "confidence_threshold": 0.0}


def _subjects(answer: Json, task: Task) -> Said:
    shares = answer["probabilities"]
    cut = answer["classification"].get("truncated", False)
    return Said(tuple(float(shares[label]) for label in task.labels), truncated=cut)


def _risk(answer: Json, task: Task) -> Said:
    risk = float(answer["risk_score"])
    shares = {label: risk if label in task.positive else 1 - risk for label in task.labels}
    return Said(tuple(shares.values()), truncated=answer.get("truncated", False))


def _verdict(answer: Json, task: Task) -> Said:
    """Of two labels, where the confidence of one tells both."""
    sure = float(answer["confidence"])
    shares = [sure if label == answer["label"] else 1 - sure for label in task.labels]
    return Said(tuple(shares), truncated=answer.get("truncated", False))


def _entities(answer: Json, task: Task) -> Said:
    found = tuple(
        Entity(row["start_position"], row["end_position"], row["type"], float(row["confidence"]))
        for row in answer["entities"]
    )
    return Said(alone=None, united=found, truncated=answer.get("truncated", False))


@dataclass(frozen=True, slots=True)
class _Way:
    """`kind` is the batch endpoint's word; without one, `path` answers about one text."""

    read: Callable[[Json, Task], Said]
    kind: str = ""
    path: str = "batch"


WAYS = {
    domain.TASK: _Way(_subjects, INTENT),
    jailbreak.TASK: _Way(_risk, SECURITY),
    pii.TASK: _Way(_entities, pii.TASK),
    fact_check.TASK: _Way(_verdict, path="fact-check"),
}


class Router:
    """At the management URL `url`."""

    def __init__(self, session: aiohttp.ClientSession, url: str, token: str = "") -> None:
        self._session = session
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._headers["Content-Type"] = "application/json"

    def asking(self, name: str, task: Task) -> Ask:
        """Raises RequestError for a task whose probabilities the endpoints do not tell."""
        if name not in WAYS:
            said = f"a router does not tell the probabilities of the task {name!r}"
            raise RequestError(f"{said}, only those of {', '.join(WAYS)}: leave out --url")
        way = WAYS[name]

        async def ask(texts: Sequence[str]) -> list[Said]:
            if way.kind:
                answers = await self._batch(texts, way.kind)
            else:
                answers = [await self._post(way.path, {"text": text}) for text in texts]
            return [way.read(answer, task) for answer in answers]

        return ask

    async def _batch(self, texts: Sequence[str], kind: str) -> list[Json]:
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        parts = [texts] if size <= MOST_TOTAL else [[text] for text in texts]
        found: list[Json] = []
        for some in parts:
            body = {"texts": list(some), "task_type": kind, "options": OPTIONS}
            answer = await self._post("batch", body)
            found += answer["results"]
        return found

    async def _post(self, path: str, body: Json) -> Json:
        """Raises UpstreamUnavailable without an answer, UpstreamError where it is not 200."""
        endpoint = f"{self._url}/api/v1/classify/{path}"
        data = orjson.dumps(body)
        try:
            async with self._session.post(endpoint, data=data, headers=self._headers) as response:
                raw, status = await response.read(), response.status
        except (aiohttp.ClientError, OSError) as error:
            raise UpstreamUnavailable(f"{endpoint}: {error}") from error
        if status != 200:
            said = raw[:300].decode("utf-8", "replace")
            raise UpstreamError(f"{endpoint} answered {status}: {said}")
        answer: Json = orjson.loads(raw)
        return answer
