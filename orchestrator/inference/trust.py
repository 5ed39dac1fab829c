"""Answers from models that are proved right, or none.

Every model is compared, through the live path, with the golden answers that travel with it:
before its first use, after each restart or reload, and now and then. A model that differs is
refused by name; no signal is confidently wrong for a reason this catches.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from orchestrator.errors import InferenceError, InferenceUnavailable, ModelUntrusted
from orchestrator.inference import Embeddings
from orchestrator.inference.checkup import Checkup, Trust
from orchestrator.inference.goldens import Goldens, load_goldens
from orchestrator.inference.triton import TritonInference


class TrustedInference:
    """`inference`, restricted to the servers whose `models` agree with their goldens.

    `check` compares once; `start` does, and keeps watching and healing until `stop`. `repository`
    is where the goldens are, also for models that another machine serves. `restart` is given for
    an embedded server: it is called where reloading a model does not help. `on_finding` is told
    the state of a model (over all servers) after each look at it.
    """

    def __init__(
        self,
        inference: TritonInference,
        repository: Path,
        models: Sequence[str],
        *,
        interval_s: float = 5.0,
        recheck_s: float = 600.0,
        restart: Callable[[], Awaitable[None]] | None = None,
        on_finding: Callable[[Trust], None] = lambda _: None,
    ) -> None:
        self._inference = inference
        self._models = tuple(models)
        self._on_finding = on_finding
        goldens = {model: _goldens(repository, model) for model in models}
        self._checkups = [
            Checkup(
                endpoint,
                goldens,
                interval_s=interval_s,
                recheck_s=recheck_s,
                restart=restart,
                on_finding=self._found,
            )
            for endpoint in inference.endpoints
        ]
        self._tasks: list[asyncio.Task[None]] = []
        for checkup in self._checkups:
            inference.refuse(checkup.endpoint.url, frozenset(models))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `Inference.embed`. A model that is not listed is untrusted."""
        trust = self.trust(model)
        if not trust.trusted:
            kind = ModelUntrusted if trust.fault is None else InferenceUnavailable
            raise kind(f"{model}: {trust.reason}")
        return await self._inference.embed(model, texts)

    def trust(self, model: str) -> Trust:
        """The state of one model: trusted where one server at least gives right answers."""
        if model not in self._models:
            return Trust(model, False, "no such model is configured")
        found = [checkup.trusts[model] for checkup in self._checkups]
        trusted = [trust for trust in found if trust.trusted]
        return min(trusted or found, key=_weakness)

    async def start(self) -> None:
        """Look at every server once, then keep watching. Never fails: see `trust` and `status`."""
        await self.check()
        self._tasks = [
            asyncio.create_task(checkup.run(), name=f"watch {checkup.endpoint.url}")
            for checkup in self._checkups
        ]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks = []

    async def check(self) -> tuple[Trust, ...]:
        """Compare every model on every server now; what is trusted stays so meanwhile."""
        for checkup in self._checkups:
            checkup.hurry()
        await asyncio.gather(*(checkup.visit() for checkup in self._checkups))
        return tuple(self.trust(model) for model in self._models)

    def doubt(self) -> None:
        """A server has restarted: trust its models again only when they are compared."""
        for checkup in self._checkups:
            checkup.doubt("the server has restarted")

    def status(self) -> dict[str, Any]:
        """The parts `triton` and `models` of /ready."""
        return {
            "triton": [
                {"url": checkup.endpoint.url, "ready": checkup.ready} for checkup in self._checkups
            ],
            "models": [_row(self.trust(model)) for model in self._models],
        }

    def _found(self, trust: Trust) -> None:
        for checkup in self._checkups:
            refused = (one.model for one in checkup.trusts.values() if not one.trusted)
            self._inference.refuse(checkup.endpoint.url, frozenset(refused))
        self._on_finding(self.trust(trust.model))


def _goldens(repository: Path, model: str) -> Goldens | str:
    try:
        return load_goldens(repository, model)
    except InferenceError as error:
        return str(error)


def _weakness(trust: Trust) -> float:
    """The server to speak for several: of those alike, the one with the lowest cosine."""
    return 2.0 if trust.parity is None else trust.parity.min_cosine


def _row(trust: Trust) -> dict[str, Any]:
    parity = trust.parity
    return {
        "name": trust.model,
        "version": trust.version,
        "device": trust.device,
        "trusted": trust.trusted,
        "reason": trust.reason,
        "parity": None
        if parity is None
        else {
            "min_cosine": round(parity.min_cosine, 6),
            "mean_cosine": round(parity.mean_cosine, 6),
            "count": parity.count,
            "tolerance": parity.tolerance,
        },
        "checked_at": trust.checked_at or None,
    }
