"""Makes a policy run, and shows it in the place of another."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from orchestrator.app.collector import settle
from orchestrator.app.faces import Face, Shown, face_of
from orchestrator.app.life import Life
from orchestrator.app.model_plane import loaded
from orchestrator.app.names import names_of
from orchestrator.app.options import Options
from orchestrator.app.policies import Compiled, needed_models
from orchestrator.app.restarts import restarts
from orchestrator.app.running import Running, Shared, assembled
from orchestrator.config.document import Document
from orchestrator.errors import Problem
from orchestrator.telemetry import Telemetry


class Faces:
    """Makes and shows them: see `reloading.Surroundings`. `started`: with what the ports were
    opened.
    """

    def __init__(
        self,
        shared: Shared,
        shown: Shown,
        life: Life,
        started: Compiled,
        options: Options,
        release: str,
    ) -> None:
        self._shared = shared
        self._shown = shown
        self._life = life
        self._started = started.config
        self._options = options
        self._release = release

    def make(self, compiled: Compiled, patient: bool) -> AbstractAsyncContextManager[Running]:
        return assembled(compiled, self._shared, forwards=True, patient=patient)

    def face(self, router: Running) -> Face:
        return face_of(router.compiled, router)

    def install(self, face: Face) -> None:
        router = face.router
        if router is None:
            raise AssertionError("only what runs is installed")
        router.came_into_force()
        self._life.router = router
        self._shown.face = face
        self._shown.needed = needed(router.compiled)
        self._shown.data_plane.identity_headers = face.identity
        tell(self._shared.telemetry, router.compiled, self._release)

    def restarts(self, compiled: Compiled, source: Document) -> tuple[Problem, ...]:
        return restarts(self._started, compiled.config, self._options, source)

    def retired(self, old: Compiled, in_force: Compiled) -> None:
        self._shared.telemetry.left({*needed(old)} - {*needed(in_force)})
        settle()


def needed(compiled: Compiled) -> tuple[str, ...]:
    """Models that have to be loaded."""
    return loaded(compiled.config.global_.services.triton, needed_models(compiled))


def tell(telemetry: Telemetry, compiled: Compiled, release: str) -> None:
    names = names_of(compiled.config)
    telemetry.configured({*names.models, *names.recipes}, release, compiled.digest)
