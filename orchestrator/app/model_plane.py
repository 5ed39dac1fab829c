"""The model plane of one process: an embedded Triton, remote ones, or none where none is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from orchestrator.app.servers import Load, Servers, servers_of
from orchestrator.config.services import Triton
from orchestrator.errors import InferenceError
from orchestrator.inference import Unhurried
from orchestrator.inference.checkup import Trust
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.examples import MODEL as ENCODER
from orchestrator.inference.gathering import Gathering
from orchestrator.inference.model_server import Connect
from orchestrator.inference.picture_goldens import load_floor
from orchestrator.inference.questions import IMAGE_MODELS
from orchestrator.inference.repository import default_repository, published, stand_ins
from orchestrator.inference.tasks import NO_TASKS, Tasks, load_tasks
from orchestrator.inference.triton import TritonInference, Usage
from orchestrator.inference.trust import TrustedInference
from orchestrator.server.operate import ReadyStatus
from orchestrator.telemetry import Telemetry


@dataclass(frozen=True, slots=True)
class ModelPlane:
    """`trusted` is None where the policy asks no model."""

    inference: Unhurried
    trusted: TrustedInference | None
    log_path: Path | None = None  # of the embedded server
    stand_ins: Mapping[str, str] = field(default_factory=dict)  # see Served

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


def loaded(settings: Triton, models: Sequence[str]) -> tuple[str, ...]:
    """What Triton has to load for a policy that asks `models`.

    A model whose embeddings another one of them gives as well is left out, and so is one in whose
    place the settings name another.
    """
    asked = named(settings, models)
    spared = stand_ins(repository_of(settings), asked)
    return tuple(model for model in asked if model not in spared)


def named(settings: Triton, models: Sequence[str]) -> tuple[str, ...]:
    """Those that answer where `models` are asked, each once."""
    return tuple(dict.fromkeys(settings.models.get(model, model) for model in models))


def before(models: Sequence[str]) -> ReadyStatus:
    """The status while there is no model plane yet; `models` are `loaded`."""
    waiting = tuple(Trust(model, False, "not checked yet") for model in models)
    return ReadyStatus("starting", models=waiting, message="the router is starting")


@asynccontextmanager
async def model_plane(
    settings: Triton,
    models: Sequence[str],
    urls: Sequence[str],
    telemetry: Telemetry,
    expects: Mapping[str, frozenset[str]] | None = None,
    servers: Servers | None = None,
    connect: Connect = Endpoint,
) -> AsyncIterator[ModelPlane]:
    """Start (or connect to) what serves `models`, and keep comparing them with their goldens.

    It yields before the first comparison, see `looked`. `urls` win over the settings' own.
    `expects`: see TrustedInference. `servers` lend an embedded Triton that others use, too.
    `connect`: see TritonInference.
    Raises ServerStartError where no Triton can run here.
    """
    remote = tuple(urls) or settings.urls
    if not models:
        yield ModelPlane(Gathering(TritonInference(remote)), None)
        return
    repository = repository_of(settings)
    own = loaded(settings, models)

    def found(trust: Trust) -> None:
        parity = trust.parity
        telemetry.model_checked(
            trust.model,
            trust.trusted,
            parity.min_cosine if parity else None,
            parity.probability if parity else None,
        )

    def used(usage: Usage) -> None:
        if usage.pictures:
            telemetry.saw(usage.model, usage.seconds, refused=usage.refused > 0)
            return
        telemetry.inferred(
            usage.model,
            usage.windows,
            usage.truncated,
            usage.seconds,
            texts=usage.texts,
            tasks=usage.tasks,
        )

    async with AsyncExitStack() as stack:
        embedded = None
        if not remote:
            lent = (servers or servers_of(telemetry)).lend(Load(repository, there(repository, own)))
            embedded = await stack.enter_async_context(lent)
        inference = TritonInference(
            (embedded.url,) if embedded else remote,
            timeout_s=settings.deadline,
            tasks={model: _tasks(repository, model) for model in own},
            floors={model: load_floor(repository, model) for model in own},
            dimensions=_dimensions(settings),
            on_usage=used,
            connect=connect,
        )
        stack.push_async_callback(inference.close)
        trusted = TrustedInference(
            inference,
            repository,
            own,
            expects=expects,
            recheck_s=settings.recheck_interval,
            restart=embedded.restart if embedded else None,
            on_finding=found,
        )
        if embedded is not None:
            stack.enter_context(embedded.told(trusted.doubt))
        stack.push_async_callback(trusted.stop)
        trusted.start()
        spared = stand_ins(repository, named(settings, models))
        gathering = Gathering(trusted, stand_ins=spared, models=settings.models)
        answering = _answering(settings, models, spared)
        yield ModelPlane(gathering, trusted, embedded.log_path if embedded else None, answering)


def repository_of(settings: Triton) -> Path:
    return Path(settings.model_repository) if settings.model_repository else default_repository()


def _answering(
    settings: Triton, models: Sequence[str], spared: Mapping[str, str]
) -> dict[str, str]:
    """Of `models`, those in whose place another one answers -> that one."""
    last = {model: settings.models.get(model, model) for model in models}
    found = {model: spared.get(other, other) for model, other in last.items()}
    return {model: other for model, other in found.items() if other != model}


def _dimensions(settings: Triton) -> dict[str, int]:
    encoder = settings.models.get(ENCODER, ENCODER)
    return {encoder: settings.dimension} if settings.dimension else {}


def there(repository: Path, models: Sequence[str]) -> tuple[str, ...]:
    """Without image models that the repository lacks: they are not trusted, and `/ready` says so,
    but texts are read. A text model that it lacks is an error of the start.
    """
    return tuple(
        model for model in models if model not in IMAGE_MODELS or published(repository, model)
    )


def _tasks(repository: Path, model: str) -> Tasks:
    try:
        return load_tasks(repository, model)
    except InferenceError:
        return NO_TASKS  # TrustedInference reads it too, and says what is wrong with it
