"""A tritonserver of our own: started, watched, restarted, and never left behind.

Knows nothing of models' tensors. The process tree is router → keeper (`keeper.py`) →
tritonserver → Python stubs; the keeper sees to it that none of them outlives the router.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from orchestrator.errors import ServerStartError
from orchestrator.inference import keeper
from orchestrator.inference.background import Background
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.installation import Installation
from orchestrator.inference.launch import Front, Launch, Order, prepare
from orchestrator.inference.repository import CPU
from orchestrator.inference.run_directory import LAST_LOG, default_state_dir
from orchestrator.inference.stubs import Stub, end, outdated

GRACE_S = 3.0  # beyond Triton's own patience; then the keeper kills it
POLL_S = 0.1
FIRST_PAUSE_S = 0.5  # before a restart; doubles
LONGEST_PAUSE_S = 30.0
STABLE_S = 60.0  # ready for so long: the next crash is a new story
LOG_LINES = 5

_ERROR = re.compile(r"^\S+ E |^error|rror while loading")
_HARMLESS = re.compile("CudaDriverHelper")  # on every machine without a GPU

log = logging.getLogger(__name__)


class EmbeddedTriton:
    """One tritonserver on loopback ports that serves `models` (None: all) of `repository`.

    `port` is that of gRPC; None chooses a free one, kept over restarts. `config_name` picks
    `<model>/configs/<name>.pbtxt` where a model has it: the bundled server runs no engines.
    `exit_timeout_s` is Triton's patience when it ends: it takes one second a Python process, all
    of it after one has died, and the rest are then killed. `front`: what it shows beside gRPC on
    loopback. Every `stubs_s` it looks for Python processes left over. `on_restart` is called each
    time the server is ready again after it died.
    """

    def __init__(
        self,
        repository: Path,
        models: Sequence[str] | None = None,
        *,
        state_dir: Path | None = None,
        port: int | None = None,
        config_name: str | None = CPU,
        installation: Installation | None = None,
        start_timeout_s: float = 120.0,
        exit_timeout_s: int = 5,
        stubs_s: float = 10.0,
        front: Front | None = None,
        on_restart: Callable[[], None] = lambda: None,
    ) -> None:
        self.restarts = 0
        self.on_restart = on_restart
        self._order = Order(
            repository=repository.absolute(),
            models=None if models is None else tuple(models),
            state_dir=(state_dir or default_state_dir()).absolute(),
            port=port,
            config_name=config_name,
            installation=installation,
            exit_timeout_s=exit_timeout_s,
            front=front or Front(),
        )
        self._start_timeout_s = start_timeout_s
        self._stubs_s = stubs_s
        self._launch: Launch | None = None
        self._keeper: asyncio.subprocess.Process | None = None
        self._background = Background()

    @property
    def url(self) -> str:
        """host:port of KServe v2 gRPC. Like the rest, known once `start` has returned."""
        return f"{self._order.front.reached_at}:{self._started.port}"

    @property
    def form(self) -> str | None:
        """Which configs of the models it takes."""
        return self._order.config_name

    @property
    def log_path(self) -> Path:
        return self._started.run.log

    @property
    def shm_prefix(self) -> str:
        """What the names of this server's files in /dev/shm begin with."""
        return self._started.run.shm_prefix

    @property
    def pid(self) -> int | None:
        """Of tritonserver; None while there is none."""
        if self._launch is None or self._keeper is None or self._keeper.returncode is not None:
            return None
        with contextlib.suppress(OSError, ValueError):
            return int(self._launch.run.pid_file.read_text())
        return None

    async def start(self) -> None:
        """Return once every model is loaded. Raises ServerStartError, and leaves nothing then."""
        started = False
        try:
            log.info("starting Triton with %s", _told(self._order.models))
            self._launch = await asyncio.to_thread(prepare, self._order)
            await self._spawn()
            self._background.start("watch tritonserver", self.watch)
            started = True
        finally:
            if not started:
                await self.stop()

    async def stop(self) -> None:
        """End the server, its stubs and its traces on disk and in shared memory."""
        await self._background.stop()
        await self._end()
        if self._launch is not None:
            await asyncio.to_thread(self._launch.close)
            self._launch = None

    async def restart(self) -> None:
        """End the server; the watcher starts it anew on the same ports."""
        await self._end()

    async def watch(self) -> None:
        """Start the server again whenever it ends, for ever; `start` runs this as a task."""
        pause = FIRST_PAUSE_S
        while True:
            since = time.monotonic()
            if self._keeper is not None:
                await self._ended(self._keeper)
            if time.monotonic() - since > STABLE_S:
                pause = FIRST_PAUSE_S
            log.warning("tritonserver ended (%s); starting it again", self._why())
            while True:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
                try:
                    await self._spawn()
                except ServerStartError as error:
                    log.error("tritonserver does not start: %s; next try in %g s", error, pause)
                    continue
                break
            self.restarts += 1
            self.on_restart()

    @property
    def _started(self) -> Launch:
        if self._launch is None:
            raise ServerStartError("the embedded tritonserver is not running")
        return self._launch

    async def _spawn(self) -> None:
        """Start the keeper and wait until the server is ready. Raises ServerStartError."""
        run = self._started.run
        try:
            self._keeper = await self._execute(self._started)
        except OSError as error:  # no process or no memory left, a disk that is full
            raise ServerStartError(f"tritonserver cannot be run: {error}") from error
        try:
            async with asyncio.timeout(self._start_timeout_s):
                await self._ready(self._keeper)
        except TimeoutError:
            await self._end()
            raise ServerStartError(
                f"tritonserver was not ready after {self._start_timeout_s:g} s: {self._why()}"
            ) from None
        log.info("tritonserver %s is ready at %s, log in %s", self.pid, self.url, run.log)

    async def _execute(self, launch: Launch) -> asyncio.subprocess.Process:
        """The keeper, with tritonserver below it. Raises OSError."""
        run = launch.run
        run.pid_file.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            run.log.replace(self._order.state_dir / LAST_LOG)
        grace = self._order.exit_timeout_s + GRACE_S
        with run.log.open("ab") as output:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *("-I", "-S", keeper.__file__, str(grace), str(run.lock)),
                *(str(run.pid_file), run.shm_prefix, *launch.command),
                stdin=asyncio.subprocess.PIPE,  # closes when we die, however we die
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                env=launch.environment,
                start_new_session=True,
                pass_fds=(run.lock,),
            )

    async def _ready(self, process: asyncio.subprocess.Process) -> None:
        endpoint = Endpoint(self.url)
        try:
            while not await endpoint.ready():
                if process.returncode is not None:
                    raise ServerStartError(f"tritonserver ended at start: {self._why()}")
                await asyncio.sleep(POLL_S)
        finally:
            await endpoint.close()

    async def _ended(self, process: asyncio.subprocess.Process) -> None:
        """Until the server ends; meanwhile end stubs that a reload has left over."""
        suspects: frozenset[Stub] = frozenset()
        while True:
            try:
                async with asyncio.timeout(self._stubs_s):
                    await process.wait()
                return
            except TimeoutError:
                # Twice outdated: a reload that is still under way has two generations too.
                seen = await asyncio.to_thread(outdated, self.shm_prefix)
                end(seen & suspects)
                suspects = seen

    async def _end(self) -> None:
        process = self._keeper
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(self._order.exit_timeout_s + GRACE_S + 2 * keeper.REAP_S):
                await process.wait()
        except TimeoutError:
            process.kill()  # the server dies with it
            await process.wait()

    def _why(self) -> str:
        """How it ended and the last errors in its log, for a person."""
        status = None if self._keeper is None else self._keeper.returncode
        ending = "" if status is None else f"exit status {status}: "
        return ending + _errors(self._started.run.log)


def _told(models: Sequence[str] | None) -> str:
    return "all models" if models is None else ", ".join(models) or "no model"


def _errors(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    told = [line for line in lines if _ERROR.search(line) and not _HARMLESS.search(line)]
    # Of a start that failed the file is gone when this is read.
    last = next((line for line in reversed(lines) if line.strip()), "nothing")
    return " | ".join(told[-LOG_LINES:]) or f"no error in its log, which ends with {last!r}"
