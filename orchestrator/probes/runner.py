"""Runs the probes of a file against a router, in this process or behind a URL."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import aiohttp
import orjson

from orchestrator.errors import RouterError, UpstreamError, UpstreamUnavailable
from orchestrator.probes.comparison import Answer, Comparison, compare
from orchestrator.probes.dependencies import Dependencies
from orchestrator.probes.differences import SignalState, differing
from orchestrator.probes.load import Probe
from orchestrator.probes.request import body_of
from orchestrator.probes.schema import ProbeFile
from orchestrator.probes.scores import scores_of
from orchestrator.signals import SIGNALS

Ask = Callable[[Mapping[str, Any]], Awaitable[Answer]]
Status = Literal["pass", "fail", "needs learned signals"]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one probe. `needs` is filled for its status only; `error` if no answer.

    Where it did not pass, `scores` are those of the expected decision's signals, in words, and
    `signals` those that differ from what the probe expects.
    """

    probe: Probe
    status: Status
    seconds: float
    answer: Answer | None = None
    comparison: Comparison | None = None
    needs: tuple[str, ...] = ()
    error: str = ""
    scores: tuple[str, ...] = ()
    signals: tuple[SignalState, ...] = ()


async def run(
    file: ProbeFile,
    probes: tuple[Probe, ...],
    ask: Ask,
    dependencies: Callable[[str], Dependencies | None] = lambda recipe: None,
    progress: Callable[[Result], None] = lambda result: None,
    doubting: Ask | None = None,
    parallel: int | None = None,
) -> tuple[Result, ...]:
    """Results in the order of the file; `evaluation.concurrency` at a time, or `parallel`.

    `dependencies` tells a recipe's, if the policy is at hand, and `doubting` asks that policy with
    the rules of families that do not run unknown: without both, a probe passes or fails.
    `progress` is called as each probe ends.
    """
    slots = asyncio.Semaphore(parallel or file.evaluation.concurrency)

    async def one(probe: Probe) -> Result:
        async with slots:
            started = time.perf_counter()
            outcome = await _ask(file, probe, ask)
            seconds = time.perf_counter() - started
            known = dependencies(probe.decision.expected_recipe)
            result = _judged(probe, outcome, seconds, known)
            if result.status == "fail" and known and known.idle and doubting:
                result = _excused(result, await _ask(file, probe, doubting), known)
        progress(result)
        return result

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(probe)) for probe in probes]
    return tuple(task.result() for task in tasks)


async def _ask(file: ProbeFile, probe: Probe, ask: Ask) -> Answer | str:
    """The answer, or why there is none."""
    try:
        body = body_of(probe, file)
        async with asyncio.timeout(file.evaluation.request_timeout_seconds):
            return await ask(body)
    except TimeoutError:
        return f"no answer within {file.evaluation.request_timeout_seconds:g} s"
    except RouterError as error:
        return f"{error.code}: {error}"


def _judged(
    probe: Probe, outcome: Answer | str, seconds: float, known: Dependencies | None
) -> Result:
    if isinstance(outcome, str):
        return Result(probe, "fail", seconds, error=outcome)
    decisions = frozenset(known.trees) if known else None
    comparison = compare(probe, outcome, decisions)
    if not comparison.findings:
        return Result(probe, "pass", seconds, outcome, comparison)
    thresholds = known.thresholds if known else {}
    return Result(
        probe,
        "fail",
        seconds,
        outcome,
        comparison,
        scores=scores_of(probe, outcome, thresholds),
        signals=differing(comparison.signals, outcome, families_by_key(), thresholds),
    )


def families_by_key() -> dict[str, str]:
    """Key of matched_signals -> family, of the families that are discovered."""
    return {SIGNALS[family].results: family for family in SIGNALS.names()}


def _excused(result: Result, doubt: Answer | str, known: Dependencies) -> Result:
    """The failure, or what it waits for; no answer to the second question excuses nothing."""
    if isinstance(doubt, str) or result.answer is None or result.comparison is None:
        return result
    needs = known.needs(result.probe, result.answer, result.comparison, doubt)
    return replace(result, status="needs learned signals", needs=needs) if needs else result


def endpoint_of(url: str) -> str:
    """The eval endpoint at `url`, which is of the router or of the endpoint itself."""
    return url.rstrip("/").removesuffix("/api/v1/eval") + "/api/v1/eval"


def asking(
    session: aiohttp.ClientSession,
    url: str,
    token: str = "",
    extra: Mapping[str, str] | None = None,
) -> Ask:
    """Asks the eval endpoint at `url`; `extra` headers, such as those of an identity, go along.

    Raises UpstreamUnavailable where nothing answers, UpstreamError for any status but 200.
    """
    endpoint = endpoint_of(url)
    headers = dict(extra or {})
    if token:
        headers["Authorization"] = f"Bearer {token}"
    headers["Content-Type"] = "application/json"

    async def ask(body: Mapping[str, Any]) -> Answer:
        try:
            # A file, because aiohttp warns of large bytes.
            data = io.BytesIO(orjson.dumps(body))
            async with session.post(
                endpoint, params={"trace": "true"}, data=data, headers=headers
            ) as response:
                raw = await response.read()
                status = response.status
        except aiohttp.ClientError as error:
            raise UpstreamUnavailable(f"{endpoint}: {error}") from error
        if status != 200:
            raise UpstreamError(
                f"{endpoint} answered {status}: {raw[:300].decode('utf-8', 'replace')}"
            )
        try:
            answer = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise UpstreamError(f"{endpoint} answered what is not JSON: {error}") from error
        if not isinstance(answer, dict):
            raise UpstreamError(f"{endpoint} answered JSON that is not an object")
        return answer

    return ask
