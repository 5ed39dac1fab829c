"""Answers from models that are proved right, or none.

Every model is compared, through the live path, with the golden answers that travel with it:
before its first use, after each restart or reload, and now and then. A model that differs is
refused by name; no signal is confidently wrong for a reason this catches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from orchestrator.errors import InferenceError, InferenceUnavailable, ModelUntrusted
from orchestrator.inference import Classification, Embeddings, Seen
from orchestrator.inference.answers import Answer
from orchestrator.inference.background import Background
from orchestrator.inference.checkup import INTERVAL_S, Checkup, Trust
from orchestrator.inference.goldens import Goldens
from orchestrator.inference.judging import Reference, load_reference
from orchestrator.inference.rows import Row
from orchestrator.inference.tasks import NO_TASKS, unexpected
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.unfit import unfit


@dataclass(frozen=True, slots=True)
class ServerState:
    url: str
    ready: bool  # it says so itself


class TrustedInference:
    """`inference`, restricted to the servers whose `models` agree with their goldens.

    `check` compares once; `start` keeps watching and healing until `stop`. `repository` is where
    the goldens are, also for models that another machine serves. `expects` are the labels that the
    signals know of each task; a classifier that has others is not trusted. `restart` is given for
    an embedded server: it is called where reloading a model does not help. `on_finding` is told
    the state of a model (over all servers) after each look at it. `proved`: all models were
    trusted at one time.
    """

    def __init__(
        self,
        inference: TritonInference,
        repository: Path,
        models: Sequence[str],
        *,
        expects: Mapping[str, frozenset[str]] | None = None,
        interval_s: float = INTERVAL_S,
        recheck_s: float = 600.0,
        restart: Callable[[], Awaitable[None]] | None = None,
        on_finding: Callable[[Trust], None] = lambda _: None,
    ) -> None:
        self._inference = inference
        self._models = tuple(models)
        self._on_finding = on_finding
        goldens = {model: _goldens(repository, model, expects or {}) for model in models}
        self._checkups = [
            Checkup(
                endpoint,
                goldens,
                interval_s=interval_s,
                recheck_s=recheck_s,
                restart=restart,
                on_finding=self._found,
                # An embedded server runs on the CPU, whatever engines there are.
                explain=partial(unfit, repository, endpoint.url) if restart is None else None,
            )
            for endpoint in inference.endpoints
        ]
        self.proved = False
        self._background = Background()
        for checkup in self._checkups:
            inference.refuse(checkup.endpoint.url, frozenset(models))

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `Inference.embed`. A model that is not listed is untrusted."""
        self._require(model)
        return await self._inference.embed(model, texts)

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        """See `Inference.classify`. A model that is not listed is untrusted."""
        self._require(model)
        return await self._inference.classify(model, texts, tasks)

    async def ask(self, model: str, rows: Sequence[Row]) -> list[Answer]:
        """See `TritonInference.ask`. A model that is not listed is untrusted."""
        self._require(model)
        return await self._inference.ask(model, rows)

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        """See `Inference.see`. A model that is not listed is untrusted."""
        self._require(model)
        return await self._inference.see(model, pictures)

    async def look(self, model: str, picture: bytes, patience: float = 0.0) -> Seen:
        """See `TritonInference.look`. A model that is not listed is untrusted."""
        self._require(model)
        return await self._inference.look(model, picture, patience)

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.labels`."""
        try:
            return self._inference.labels(model)
        except InferenceError:
            self._require(model)  # the reason why it is not trusted says more
            raise

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        """See `Inference.languages`."""
        return self._inference.languages(model)

    def trust(self, model: str) -> Trust:
        """The state of one model: trusted where one server at least gives right answers."""
        if model not in self._models:
            return Trust(model, False, "no such model is configured")
        found = [checkup.trusts[model] for checkup in self._checkups]
        trusted = [trust for trust in found if trust.trusted]
        return min(trusted or found, key=_weakness)

    def start(self) -> None:
        """Watch every server. Nothing is trusted before its first look, see `looked`."""
        for checkup in self._checkups:
            self._background.start(
                f"watch {checkup.endpoint.url}", checkup.run, partial(_lost, checkup)
            )

    async def looked(self) -> None:
        """Until every server has been looked at once: seconds, a minute where one hangs."""
        await asyncio.gather(*(checkup.looked.wait() for checkup in self._checkups))

    async def stop(self) -> None:
        await self._background.stop()

    async def check(self) -> tuple[Trust, ...]:
        """Compare every model on every server now; what is trusted stays so meanwhile."""
        for checkup in self._checkups:
            checkup.hurry()
        await asyncio.gather(*(checkup.visit() for checkup in self._checkups))
        return self.trusts()

    def doubt(self) -> None:
        """A server has restarted: trust its models again only when they are compared."""
        for checkup in self._checkups:
            checkup.doubt("the server has restarted")

    def servers(self) -> tuple[ServerState, ...]:
        return tuple(ServerState(one.endpoint.url, one.ready) for one in self._checkups)

    def trusts(self) -> tuple[Trust, ...]:
        """The state of every model."""
        return tuple(self.trust(model) for model in self._models)

    def _require(self, model: str) -> None:
        trust = self.trust(model)
        if not trust.trusted:
            kind = ModelUntrusted if trust.fault is None else InferenceUnavailable
            raise kind(f"{model}: {trust.reason}")

    def _found(self, trust: Trust) -> None:
        for checkup in self._checkups:
            refused = (one.model for one in checkup.trusts.values() if not one.trusted)
            self._inference.refuse(checkup.endpoint.url, frozenset(refused))
        self.proved = self.proved or all(one.trusted for one in self.trusts())
        self._on_finding(self.trust(trust.model))


def _goldens(
    repository: Path, model: str, expects: Mapping[str, frozenset[str]]
) -> Reference | str:
    """Or the reason why nothing can make the model trusted."""
    try:
        goldens = load_reference(repository, model)
    except InferenceError as error:
        return str(error)
    tasks = goldens.tasks if isinstance(goldens, Goldens) else NO_TASKS
    if tasks and (reason := unexpected(tasks, expects)):
        return reason
    return goldens


def _weakness(trust: Trust) -> float:
    """The server to speak for several: of those alike, the one that is the furthest off."""
    parity = trust.parity
    return 2.0 if parity is None else parity.min_cosine - (parity.probability or 0.0)


async def _lost(checkup: Checkup) -> None:
    checkup.doubt("watching it failed")
