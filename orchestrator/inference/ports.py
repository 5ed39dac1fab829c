"""Free TCP ports for servers that must come back on the same one."""

from __future__ import annotations

import errno
import random
import socket
from pathlib import Path

from orchestrator.errors import ServerStartError

FIRST = 10_240
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
TRIES = 200


def free_port(host: str) -> int:
    """A free port below the ephemeral range.

    Not "port 0": that range also serves outgoing connections. While the server is down, one of
    them may take its port, even a client's own attempt to reach it (a TCP self-connect).
    """
    limit = int(EPHEMERAL.read_text().split()[0]) if EPHEMERAL.exists() else 32_768
    span = range(FIRST, limit) if limit - FIRST > TRIES else range(FIRST, 65_536)
    for port in random.sample(span, min(TRIES, len(span))):
        if not taken(host, port):
            return port
    raise ServerStartError(f"no free port found on {host}")


def taken(host: str, port: int) -> bool:
    """Raises ServerStartError where nobody can listen there: no such host, or no right to."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise ServerStartError(f"cannot listen on {host}:{port}: {error.strerror}") from error
        except TypeError as error:  # no name: a label that is too long, a zero byte
            raise ServerStartError(f"cannot listen on {host}:{port}: no such host") from error
    return False
