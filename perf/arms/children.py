"""Processes beside this one, and the ports they listen on."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import IO

from perf.arms import NotStarted

STARTED_S = 90.0
ENDED_S = 20.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def listening(
    command: Sequence[str], port: int, environment: Mapping[str, str] | None = None
) -> AsyncIterator[int]:
    """Run `command` until the block ends; yields its pid once `port` accepts. Raises NotStarted."""
    told = " ".join(command)
    with tempfile.TemporaryFile() as log:
        try:
            child = await asyncio.create_subprocess_exec(
                *command, env={**os.environ, **(environment or {})}, stdout=log, stderr=log
            )
        except OSError as error:
            raise NotStarted(f"{told} cannot be run: {error.strerror}") from error
        try:
            await _started(child, port, told, log)
            yield child.pid
        finally:
            with suppress(ProcessLookupError):
                child.terminate()
            try:
                await asyncio.wait_for(child.wait(), ENDED_S)
            except TimeoutError:
                child.kill()
                await child.wait()


async def _started(child: asyncio.subprocess.Process, port: int, told: str, log: IO[bytes]) -> None:
    try:
        async with asyncio.timeout(STARTED_S):
            while not await _accepts(port):
                if child.returncode is not None:
                    raise NotStarted(f"{told} ended:\n{_said(log)}")
                await asyncio.sleep(0.1)
    except TimeoutError:
        why = f"{told} did not listen after {STARTED_S:g} s:\n{_said(log)}"
        raise NotStarted(why) from None


async def ready(port: int, path: str) -> None:
    """Until GET `path` is answered with 200. Raises NotStarted."""
    try:
        async with asyncio.timeout(STARTED_S):
            while b" 200 " not in await _status(port, path):
                await asyncio.sleep(0.2)
    except TimeoutError:
        why = f"{path} of port {port} did not say 200 after {STARTED_S:g} s"
        raise NotStarted(why) from None


async def _status(port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
        )
        return await reader.readline()
    finally:
        writer.close()


def _said(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")[-3000:]


async def _accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
