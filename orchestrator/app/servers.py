"""Embedded Tritons, which model planes of several policies may share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.app.lending import Lending
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.telemetry import Telemetry

Restarted = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Load:
    repository: Path
    models: tuple[str, ...]


class SharedTriton:
    """A running server, and who wants to know that it was restarted."""

    def __init__(self, server: EmbeddedTriton, restarted: Restarted) -> None:
        self._server = server
        self._told = [restarted]
        self.url = server.url
        self.restart = server.restart
        server.on_restart = self._restarted

    @property
    def log_path(self) -> Path:
        return self._server.log_path

    @contextmanager
    def told(self, restarted: Restarted) -> Iterator[None]:
        """`restarted` is called at each restart until the block ends."""
        self._told.append(restarted)
        try:
            yield
        finally:
            self._told.remove(restarted)

    def _restarted(self) -> None:
        for restarted in (*self._told,):
            restarted()


Servers = Lending[Load, SharedTriton]


def servers_of(telemetry: Telemetry) -> Servers:
    """A server that has loaded more than is wanted serves, too: to load less saves no start."""

    @asynccontextmanager
    async def serving(load: Load) -> AsyncIterator[SharedTriton]:
        server = EmbeddedTriton(load.repository, load.models)
        try:
            await server.start()
            yield SharedTriton(server, telemetry.triton_restarted)
        finally:
            await server.stop()

    def serves(wanted: Load, loaded: Load) -> bool:
        return wanted.repository == loaded.repository and {*wanted.models} <= {*loaded.models}

    return Lending(serving, serves)
