"""The model plane of one process: an embedded Triton, remote ones, or none where none is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orchestrator.config.services import Triton
from orchestrator.inference import Inference
from orchestrator.inference.checkup import Trust
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference, Usage
from orchestrator.inference.trust import TrustedInference
from orchestrator.server.operate import ReadyStatus
from orchestrator.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class ModelPlane:
    """`trusted` is None where the policy asks no model."""

    inference: Inference
    trusted: TrustedInference | None
    log_path: Path | None = None  # of the embedded server

    def status(self) -> ReadyStatus:
        if self.trusted is None:
            return ReadyStatus("ready", message="the policy asks no model")
        models = self.trusted.trusts()
        waiting = [one for one in models if not one.trusted]
        status: Literal["starting", "ready", "degraded"] = "ready"
        if waiting:
            status = "degraded" if self.trusted.proved else "starting"
        return ReadyStatus(
            status=status,
            triton=self.trusted.servers(),
            models=models,
            message="; ".join(f"{one.model}: {one.reason}" for one in waiting),
        )

    async def looked(self) -> None:
        """Until every server has been looked at once: seconds, a minute where one hangs."""
        if self.trusted is not None:
            await self.trusted.looked()


def before(models: Sequence[str]) -> ReadyStatus:
    """The status while there is no model plane yet."""
    waiting = tuple(Trust(model, False, "not checked yet") for model in models)
    return ReadyStatus("starting", models=waiting, message="the router is starting")


@asynccontextmanager
async def model_plane(
    settings: Triton, models: Sequence[str], urls: Sequence[str], telemetry: Telemetry
) -> AsyncIterator[ModelPlane]:
    """Start (or connect to) what serves `models`, and keep comparing them with their goldens.

    It yields before the first comparison, see `looked`. `urls` win over the settings' own. Raises
    ServerStartError where no Triton can run here.
    """
    remote = tuple(urls) or settings.urls
    if not models:
        yield ModelPlane(TritonInference(remote), None)
        return
    repository = (
        Path(settings.model_repository) if settings.model_repository else default_repository()
    )

    def found(trust: Trust) -> None:
        cosine = trust.parity.min_cosine if trust.parity else None
        telemetry.model_checked(trust.model, trust.trusted, cosine)

    def used(usage: Usage) -> None:
        telemetry.inferred(usage.model, usage.windows, usage.truncated, usage.seconds)

    async with AsyncExitStack() as stack:
        embedded = None if remote else EmbeddedTriton(repository, models)
        if embedded is not None:
            stack.push_async_callback(embedded.stop)
            await embedded.start()
        inference = TritonInference(
            (embedded.url,) if embedded else remote, timeout_s=settings.deadline, on_usage=used
        )
        stack.push_async_callback(inference.close)
        trusted = TrustedInference(
            inference,
            repository,
            models,
            recheck_s=settings.recheck_interval,
            restart=embedded.restart if embedded else None,
            on_finding=found,
        )
        if embedded is not None:

            def restarted() -> None:
                telemetry.triton_restarted()
                trusted.doubt()

            embedded.on_restart = restarted
        stack.push_async_callback(trusted.stop)
        trusted.start()
        yield ModelPlane(trusted, trusted, embedded.log_path if embedded else None)
