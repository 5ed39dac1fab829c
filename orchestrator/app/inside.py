"""The router as a model of the Triton that it asks: no port, no HTTP.

Triton's threads hand over requests, an event loop in a thread of its own routes them as
`/api/v1/eval` does. What a policy is, how it changes and when a model is trusted is as in
`tsr serve`; only who carries the questions differs (`inference/neighbours.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, Thread

import orjson
import uvloop

from orchestrator.app.attempts import Attempts
from orchestrator.app.collector import quiet, settle
from orchestrator.app.exchange import needed, tell
from orchestrator.app.following import followed
from orchestrator.app.model_plane import named
from orchestrator.app.options import identity_headers
from orchestrator.app.policies import Compiled, compile_policies, needed_models
from orchestrator.app.readers import Readers
from orchestrator.app.reloading import Reloader
from orchestrator.app.running import Running, Shared, assembled, sharing
from orchestrator.config.document import Document
from orchestrator.config.load import Examined, examine_file
from orchestrator.errors import (
    BodyTooLarge,
    ConfigError,
    NotStarted,
    Problem,
    RequestError,
    RouterError,
)
from orchestrator.inference.background import completed
from orchestrator.inference.neighbours import HERE, Backend, Neighbours, parts_of
from orchestrator.server.body import BYTE_ORDER_MARK, value_of
from orchestrator.server.evaluate import evaluate
from orchestrator.server.management import MAX_BODY_BYTES
from orchestrator.server.middleware import log_bug
from orchestrator.telemetry import Telemetry

logger = logging.getLogger("tsr")

# Threads: a question to a neighbour holds one until it is answered, and one each is for a policy
# that is compiled and the file that is looked at.
QUESTIONS, OTHERS = 32, 4

Done = Callable[[list[bytes] | RouterError], None]


@dataclass(frozen=True, slots=True)
class Terms:
    """`model` is what this router is called in its Triton, which serves `repository` with configs
    of the name `config_name`. Requests beyond `in_flight` wait where they are handed over.
    """

    policy: Path
    model: str
    repository: Path
    config_name: str = ""
    in_flight: int = 64
    max_bytes: int = MAX_BODY_BYTES  # of a request, as of a body of /api/v1/eval
    start_s: float = 60.0  # that a request waits for the models and the policy


class Inside:
    """Made, started and stopped by one thread of Triton; `submit` is for any."""

    def __init__(self, backend: Backend, terms: Terms, telemetry: Telemetry, release: str) -> None:
        self._terms = terms
        self._telemetry = telemetry
        self._release = release
        self._connect = partial(
            _neighbours, backend, terms.repository, config_name=terms.config_name
        )
        self._free = BoundedSemaphore(terms.in_flight)
        self._readers = Readers()
        self._loop = uvloop.new_event_loop()
        self._made: asyncio.Future[_Faces | None] = self._loop.create_future()
        self._end = asyncio.Event()
        self._thread = Thread(target=self._run, name="router", daemon=True)

    def start(self) -> None:
        """Return before the models are looked at. Raises ConfigError where the policy cannot be
        used, and where it asks this very model.
        """
        compiled = compiled_here(self._terms, examine_file(self._terms.policy))
        not_itself(compiled, self._terms)
        for warning in compiled.warnings:
            logger.warning("%s", warning)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._serve(compiled), self._loop)

    def submit(self, rows: Sequence[bytes], headers: Mapping[str, str], done: Done) -> None:
        """`done` is given the routes of all rows, or the first row's error that has one; it is
        called in another thread. Waits while too many are under way.
        """
        self._free.acquire()
        asyncio.run_coroutine_threadsafe(self._answer(rows, headers, done), self._loop)

    def stop(self) -> None:
        """Requests under way are not answered any more."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def _run(self) -> None:
        self._loop.set_default_executor(ThreadPoolExecutor(QUESTIONS + OTHERS, "router"))
        self._loop.run_forever()
        self._loop.close()

    async def _serve(self, compiled: Compiled) -> None:
        async with AsyncExitStack() as stack:
            stack.callback(self._loop.stop)
            live = completed("start the router", partial(self._live, compiled, stack))
            starting = asyncio.create_task(live)
            ending = asyncio.create_task(self._end.wait())
            await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
            starting.cancel()  # a no-op once it is done
            await asyncio.gather(starting, return_exceptions=True)
            if not self._made.done():
                self._made.set_result(None)
            await ending

    async def _live(self, compiled: Compiled, stack: AsyncExitStack) -> None:
        terms, telemetry = self._terms, self._telemetry
        tell(telemetry, compiled, self._release)
        shared = await stack.enter_async_context(sharing(telemetry, (HERE,), None, self._connect))
        faces = _Faces(shared, terms, self._release)
        attempts, compiling = Attempts(telemetry), partial(compiled_here, terms)
        reloader = Reloader(faces, self._readers, attempts, terms.policy, compiling)
        stack.enter_context(quiet())
        stack.push_async_callback(reloader.close)
        await self._loaded(needed(compiled))
        try:
            await reloader.start(compiled)
        except RouterError as error:
            logger.error("%s: the router cannot be started: %s", terms.model, error)
            return
        settle()
        self._made.set_result(faces)
        logger.info("%s: policy %s is in force", terms.model, compiled.digest[:12])
        await stack.enter_async_context(followed(reloader, terms.policy, True, asyncio.Event()))

    async def _loaded(self, models: Sequence[str]) -> None:
        """Triton loads models side by side; the router would trust none that is late at first."""
        try:
            async with asyncio.timeout(self._terms.start_s):
                await self._connect(HERE).loaded(models)
        except TimeoutError:
            logger.warning("not all of %s are loaded; going on without", ", ".join(models))

    async def _answer(self, rows: Sequence[bytes], headers: Mapping[str, str], done: Done) -> None:
        answer: list[bytes] | RouterError
        try:
            answer = await self._routes(rows, headers)
        except RouterError as error:
            answer = error
        except Exception as error:  # noqa: BLE001 - a boundary: a bug of ours is an answer too
            log_bug("request", error)
            answer = RouterError("internal error; the log has the details")
        try:
            done(answer)
        except Exception as error:  # noqa: BLE001 - Triton's, and nobody reads this task
            log_bug("answer", error)
        finally:
            self._free.release()

    async def _routes(self, rows: Sequence[bytes], headers: Mapping[str, str]) -> list[bytes]:
        """Returns when no row is under way any more. Raises the first row's error that has one."""
        asked = (self._route(row, headers) for row in rows)
        found: list[bytes] = []
        for number, one in enumerate(await asyncio.gather(*asked, return_exceptions=True), 1):
            if isinstance(one, BaseException):
                if isinstance(one, RouterError) and len(rows) > 1:
                    one.args = (f"row {number} of {len(rows)}: {one}",)
                raise one
            found.append(one)
        return found

    async def _route(self, raw: bytes, headers: Mapping[str, str]) -> bytes:
        if len(raw) > self._terms.max_bytes:
            raise BodyTooLarge(f"the body is larger than {self._terms.max_bytes} bytes")
        body = value_of(raw.removeprefix(BYTE_ORDER_MARK))
        if not isinstance(body, dict):
            raise RequestError("the body must be a JSON object")
        faces = await self._started()
        with self._readers.inside():
            router = faces.router
            identity = identity_headers(router.compiled.config)
            route = await evaluate(router.pipeline, body, False, headers, identity)
        return orjson.dumps(route)

    async def _started(self) -> _Faces:
        try:
            async with asyncio.timeout(self._terms.start_s):
                faces = await asyncio.shield(self._made)
        except TimeoutError:
            raise NotStarted("the router is starting") from None
        if faces is None:
            raise NotStarted("the router could not be started; Triton's log says why")
        return faces


class _Faces:
    """What is in force: see `replacing.Surroundings`."""

    def __init__(self, shared: Shared, terms: Terms, release: str) -> None:
        self._shared = shared
        self._terms = terms
        self._release = release
        self._router: Running | None = None

    @property
    def router(self) -> Running:
        if self._router is None:
            raise NotStarted("the router is starting")
        return self._router

    def make(self, compiled: Compiled, patient: bool) -> AbstractAsyncContextManager[Running]:
        # Nobody is kept from the data plane by waiting: there is none.
        return assembled(compiled, self._shared, forwards=True, patient=True)

    def face(self, router: Running) -> Running:
        return router

    def install(self, face: Running) -> None:
        face.came_into_force()
        self._router = face
        tell(self._shared.telemetry, face.compiled, self._release)

    def restarts(self, compiled: Compiled, source: Document) -> tuple[Problem, ...]:
        not_itself(compiled, self._terms)
        return ()

    def retired(self, old: Compiled, in_force: Compiled) -> None:
        self._shared.telemetry.left({*needed(old)} - {*needed(in_force)})
        settle()


def compiled_here(terms: Terms, examined: Examined) -> Compiled:
    """The policy for this Triton alone, whose repository has the models, and their goldens if no
    other is named. Raises ConfigError.
    """
    config = examined.config
    if config is None:
        return compile_policies(examined)
    settings = config.global_
    triton = settings.services.triton
    update = {"model_repository": triton.model_repository or str(terms.repository), "urls": ()}
    services = settings.services.model_copy(update={"triton": triton.model_copy(update=update)})
    changed = settings.model_copy(update={"services": services})
    here = config.model_copy(update={"global_": changed})
    return compile_policies(replace(examined, config=here))


def not_itself(compiled: Compiled, terms: Terms) -> None:
    """Raises ConfigError where an answer would wait for itself."""
    models = named(compiled.config.global_.services.triton, needed_models(compiled))
    asked = parts_of(terms.repository, models, terms.config_name)
    if terms.model in asked:
        raise ConfigError(
            f"the policy asks {terms.model!r}, which is this router: it would wait for itself. "
            "Give the folder of the router in the model repository another name"
        )


def _neighbours(
    backend: Backend, repository: Path, url: str, *, timeout_s: float = 5.0, config_name: str
) -> Neighbours:
    return Neighbours(backend, repository, timeout_s=timeout_s, config_name=config_name)
