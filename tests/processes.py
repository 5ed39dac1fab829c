"""Real processes: the router as its command line starts it, and a stand-in for vLLM."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

ROOT = Path(__file__).parent.parent
LIMIT_S = 120.0  # for anything that has to happen some time, on a busy machine
PATIENCE_S = 20.0  # for a process that was told to end

# Below the range from which the kernel gives ports to outgoing connections.
FIRST_PORT, LAST_PORT = 20_000, 30_000

DEMO = """
import sys
from aiohttp import web
from orchestrator import demo
port, first, between = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
web.run_app(
    demo.application(delays=demo.Delays(first, between)), host="127.0.0.1", port=port, print=None
)
"""


def free_ports(number: int) -> list[int]:
    """Different ports that nobody listens on; drawn, so that two callers get different ones."""
    found: list[int] = []
    for port in random.SystemRandom().sample(range(FIRST_PORT, LAST_PORT), 50):
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            found.append(port)
    return found[:number]


def children(pid: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == pid:
                    yield int(entry.name)


def descendants(pid: int) -> dict[int, str]:
    """Process id -> command line, of everything below `pid`."""
    found: dict[int, str] = {}
    for child in children(pid):
        with contextlib.suppress(OSError):
            raw = Path(f"/proc/{child}/cmdline").read_bytes()
            found[child] = raw.replace(b"\0", b" ").decode(errors="replace")
        found |= descendants(child)
    return found


def alive(pid: int) -> bool:
    """A zombie that its new parent has not reaped yet is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@dataclass
class Router:
    """`tsr serve`, running. Its output goes to the file `log`."""

    process: asyncio.subprocess.Process
    port: int
    management_port: int
    log: Path
    http: aiohttp.ClientSession

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def management_url(self) -> str:
        return f"http://127.0.0.1:{self.management_port}"

    def tritonserver(self) -> int:
        """Its process id."""
        (pid,) = self._below("tritonserver")
        return pid

    def stubs(self) -> list[int]:
        """The Python processes of the models."""
        return self._below("triton_python_backend_stub")

    def _below(self, program: str) -> list[int]:
        below = descendants(self.process.pid).items()
        return [pid for pid, command in below if Path(command.split(" ")[0]).name == program]

    def chat(self, text: str, model: str = "auto", **fields: Any) -> Any:
        body = {"model": model, "messages": [{"role": "user", "content": text}], **fields}
        return self.http.post(f"{self.url}/v1/chat/completions", json=body)

    async def decision(self, text: str) -> str:
        async with self.chat(text) as answer:
            assert answer.status == 200, await answer.text()
            return answer.headers["x-vsr-selected-decision"]

    async def ready(self) -> tuple[int, dict[str, Any]]:
        async with self.http.get(f"{self.management_url}/ready") as answer:
            return answer.status, await answer.json()

    async def until_serving(self) -> None:
        """The data plane listens, which it does later than the management plane."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                with contextlib.suppress(aiohttp.ClientConnectionError):
                    async with self.http.get(f"{self.url}/v1/models"):
                        return
                assert self.process.returncode is None, self.log.read_text()
                await asyncio.sleep(0.05)

    async def until_ready(self, status: int = 200) -> dict[str, Any]:
        """What /ready says once it says `status`; the router may not even listen yet."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                with contextlib.suppress(aiohttp.ClientConnectionError):
                    found, said = await self.ready()
                    if found == status:
                        return said
                assert self.process.returncode is None, self.log.read_text()
                await asyncio.sleep(0.05)


@asynccontextmanager
async def ended(process: asyncio.subprocess.Process) -> AsyncIterator[None]:
    """Ends `process` on leaving, if it still runs."""
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), PATIENCE_S)
            except TimeoutError:
                process.kill()
                await process.wait()


@asynccontextmanager
async def router(
    policy: str,
    folder: Path,
    *flags: str,
    environ: Mapping[str, str] | None = None,
    log_level: str = "debug",
) -> AsyncIterator[Router]:
    """A router that serves `policy` (YAML text), as soon as its process is there."""
    file, log = folder / "policy.yaml", folder / "router.log"
    file.write_text(policy)
    port, management_port = free_ports(2)
    variables = [f"{name}={value}" for name, value in (environ or {}).items()]
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *("env", *variables, sys.executable, "-m", "orchestrator", "serve"),
            *("--config", str(file), "--port", str(port)),
            *("--management-port", str(management_port), "--log-level", log_level, *flags),
            cwd=ROOT,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
        )
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(ended(process))
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        http = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        yield Router(process, port, management_port, log, http)


@asynccontextmanager
async def demo_upstream(
    port: int, first: float = 0.0, between: float = 0.0
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The demo upstream in a process of its own, listening; delays are in seconds."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", DEMO, str(port), str(first), str(between)), cwd=ROOT
    )
    async with ended(process):
        async with asyncio.timeout(LIMIT_S):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    assert process.returncode is None, "the demo upstream does not start"
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    await writer.wait_closed()
                    break
        yield process


async def killed(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGKILL)
    await process.wait()
