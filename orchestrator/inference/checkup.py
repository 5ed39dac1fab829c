"""Watches one Triton server: is it there, does every process answer, are the answers right?

Triton calls a server and a model ready whose Python processes are dead or whose answers are
wrong; only a real request tells. What is found broken is reloaded. Knows nothing of routing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from orchestrator.errors import InferenceError, InferenceTimeout, InferenceUnavailable
from orchestrator.inference.goldens import Parity
from orchestrator.inference.judging import Reference, judge, probe
from orchestrator.inference.model_server import Fault, ModelServer

INTERVAL_S = 10.0  # between probes; what requests meet is looked at sooner
PARTS = 4  # of the goldens; a model that is trusted is compared with one, in turn
MOMENT_S = 0.5  # the least between two visits
ABSENT_S = 15.0  # a model may be away so long because another router reloads it
LONGEST_PAUSE_S = 60.0  # between attempts to heal
RESTART_AFTER = 2  # attempts to heal that failed
HUNG_PROBES = 5  # in a row without an answer: not load, a process that hangs
DEATHS = 3  # that requests report at so many visits
DEATHS_S = 30.0  # within such a time

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether a model's answers may be used, and why not."""

    model: str
    trusted: bool
    reason: str  # empty when trusted
    fault: Fault | None = None  # set: it cannot answer at all
    parity: Parity | None = None
    checked_at: float = 0.0  # Unix time; 0: never
    version: str = ""
    device: str = ""


@dataclass(slots=True)
class _Recovery:
    """How healing one model goes."""

    failing_since: float | None = None  # clock
    resume: float = 0.0  # clock
    pause: float = MOMENT_S
    attempts: int = 0
    timeouts: int = 0  # of probes, in a row


class Checkup:
    """`visit` looks once, `run` for ever. `trusts` is the last finding for each model.

    `goldens` are what to judge each model by, or the reason why nothing makes it trusted.
    `interval_s` separates probes, `recheck_s` comparisons with the goldens. `restart` ends a
    server that reloading does not heal (only for a server of our own). `explain` says why a server
    refuses what it is to load, better than the server does, or nothing.
    """

    def __init__(
        self,
        endpoint: ModelServer,
        goldens: Mapping[str, Reference | str],
        *,
        interval_s: float = INTERVAL_S,
        recheck_s: float = 600.0,
        restart: Callable[[], Awaitable[None]] | None = None,
        on_finding: Callable[[Trust], None] = lambda _: None,
        explain: Callable[[], Awaitable[str]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self.ready = False
        self.looked = asyncio.Event()  # set once the first visit is over
        self.trusts = {model: Trust(model, False, "not checked yet") for model in goldens}
        self._goldens = goldens
        self._interval_s = interval_s
        self._recheck_s = recheck_s
        self._restart = restart
        self._on_finding = on_finding
        self._explain = explain
        self._clock = clock
        self._due = dict.fromkeys(goldens, 0.0)
        self._turns = dict.fromkeys(goldens, 0)
        self._recovery = {model: _Recovery() for model in goldens}
        self._deaths: dict[str, list[float]] = {model: [] for model in goldens}  # clock

    async def run(self) -> None:
        while True:
            await self.visit()
            healthy = self.ready and not any(r.failing_since for r in self._recovery.values())
            try:
                async with asyncio.timeout(self._interval_s if healthy else MOMENT_S):
                    await self.endpoint.trouble.wait()
                    await asyncio.sleep(MOMENT_S)  # a failing server is not visited in a loop
            except TimeoutError:
                pass

    def doubt(self, reason: str, fault: Fault | None = None) -> None:
        """Trust nothing until it is compared again, as soon as may be."""
        for trust in tuple(self.trusts.values()):
            self._find(replace(trust, trusted=False, reason=reason, fault=fault))
        self.hurry()

    async def visit(self) -> None:
        """Probe every model, heal what is broken, compare what is due."""
        try:
            await self._look()
        finally:
            self.looked.set()

    def hurry(self) -> None:
        """Compare every model at the next visit, and visit as soon as may be."""
        self._due = dict.fromkeys(self._due, 0.0)
        self.endpoint.trouble.set()

    async def _look(self) -> None:
        # Triton has no boot id; a connection that broke is the sign of another server behind it.
        same = self.endpoint.connected() and Fault.UNREACHABLE not in self.endpoint.faults.values()
        self.ready = await self.endpoint.ready()
        if not self.ready:
            self.doubt(Fault.UNREACHABLE.value, Fault.UNREACHABLE)
        elif not same:
            self.hurry()
        self.endpoint.trouble.clear()
        if self.ready:
            for model in self.trusts:
                await self._visit(model)

    async def _visit(self, model: str) -> None:
        goldens = self._goldens[model]
        if isinstance(goldens, str):
            self._find(Trust(model, False, goldens))  # reloading it would not change that
            return
        fault = await self._broken(model, goldens)
        if fault is None:
            if self._recovery[model].timeouts == 0:
                self._recovery[model] = _Recovery()
        elif fault is Fault.UNREACHABLE or not await self._heal(model, fault):
            return
        if not self.trusts[model].trusted or self._clock() >= self._due[model]:
            await self._compare(model, goldens)

    async def _broken(self, model: str, goldens: Reference) -> Fault | None:
        """The fault that a model still has, if any.

        A process counts as dead when it failed twice: one that merely had no processor for a
        second answers the same way once. Under load the requests find it and the probes do not:
        Triton believes that a dead process is at work for a second, and gives them to the others.
        """
        failures = 1 if self.endpoint.faults.get(model) is Fault.DEAD_INSTANCE else 0
        if failures and self._died_again(model):
            return Fault.DEAD_INSTANCE
        while True:
            self.endpoint.forget(model)
            fault = await self._probe(model, goldens)
            if fault is not Fault.DEAD_INSTANCE or failures:
                return fault
            failures += 1

    def _died_again(self, model: str) -> bool:
        """Whether requests met a dead process once more, and often enough."""
        now = self._clock()
        recent = [at for at in self._deaths[model] if now - at < DEATHS_S] + [now]
        self._deaths[model] = [] if len(recent) == DEATHS else recent
        return len(recent) == DEATHS

    async def _probe(self, model: str, goldens: Reference) -> Fault | None:
        """Two small requests for each process: Triton hands them out in turn."""
        recovery = self._recovery[model]
        try:
            described = await self.endpoint.describe(model)
            for _ in range(2 * described.instances):
                await probe(self.endpoint, model, goldens)
        except InferenceTimeout:
            recovery.timeouts += 1
            return Fault.HUNG if recovery.timeouts >= HUNG_PROBES else None
        except InferenceError as error:
            fault = self.endpoint.faults.get(model)
            if fault is None:  # busy, or broken in a way that reloading does not heal
                log.warning("probe failed: %s", error)
            return fault
        recovery.timeouts = 0
        return None

    async def _heal(self, model: str, fault: Fault) -> bool:
        """Whether the model is loaded afresh."""
        recovery, now = self._recovery[model], self._clock()
        if recovery.failing_since is None:
            recovery.failing_since = now
        # Not ours to hurry: another router may be about to load what it has unloaded.
        patient = fault is Fault.NOT_LOADED and now - recovery.failing_since < ABSENT_S
        if patient and not self.trusts[model].trusted:
            self._find(self._away(model, fault, "it is waited for"))
        if patient or now < recovery.resume:
            return False
        recovery.attempts += 1
        recovery.pause = min(2 * recovery.pause, LONGEST_PAUSE_S)
        recovery.resume = now + recovery.pause
        self._find(self._away(model, fault, "being reloaded"))
        try:
            if fault is Fault.NOT_LOADED:
                await self.endpoint.load(model)
            else:
                await self.endpoint.reload(model)
        except InferenceError as error:
            why = await self._explain() if self._explain is not None else ""
            self._find(self._away(model, fault, f"reloading failed: {why or error}"))
            if self._restart is not None and recovery.attempts >= RESTART_AFTER:
                await self._restart()
            return False
        recovery.timeouts = 0
        return True

    def _away(self, model: str, fault: Fault, what: str) -> Trust:
        trust = self.trusts[model]
        return replace(trust, trusted=False, reason=f"{fault.value}; {what}", fault=fault)

    async def _compare(self, model: str, goldens: Reference) -> None:
        """Judge the model by its goldens: alone, and when it was not trusted, in batches too.

        A trusted model whose time has come again is judged by a part, which costs little.
        """
        if self.trusts[model].trusted and self._due[model]:
            goldens = goldens.part(self._turns[model], PARTS)
            self._turns[model] += 1
        try:
            described = await self.endpoint.describe(model)
            first = not self.trusts[model].trusted
            parity = await judge(self.endpoint, model, goldens, batches=first)
        except InferenceError as error:
            # A busy server proves nothing against a model that was right a while ago.
            busy = isinstance(error, InferenceTimeout | InferenceUnavailable)
            if not (busy and self.trusts[model].trusted):
                self._find(Trust(model, False, f"its goldens failed: {error}"))
            return
        self._due[model] = self._clock() + self._recheck_s
        self._find(
            Trust(
                model,
                trusted=parity.held,
                reason=parity.reason,
                parity=parity,
                checked_at=time.time(),
                version=described.version,
                device=described.device,
            )
        )

    def _find(self, trust: Trust) -> None:
        before = self.trusts[trust.model]
        self.trusts[trust.model] = trust
        if (before.trusted, before.reason) != (trust.trusted, trust.reason):
            level = logging.INFO if trust.trusted else logging.WARNING
            verdict = "trusted" if trust.trusted else f"not trusted: {trust.reason}"
            log.log(level, "%s at %s is %s", trust.model, self.endpoint.url, verdict)
        self._on_finding(trust)
