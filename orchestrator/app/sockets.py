"""Ports that are taken before anything slow starts, so that a taken one is told at once."""

from __future__ import annotations

import errno
import os
import socket

from orchestrator.errors import RouterError


def bind(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of `host`, bound and not yet listening.

    Raises RouterError where the host is unknown or the port is taken.
    """
    bound: list[socket.socket] = []
    refused: OSError | None = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in dict.fromkeys(found):
            try:
                bound.append(_bound(family, kind, protocol, address))
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL:  # "localhost" without IPv6
                    raise
                refused = error
        if not bound and refused is not None:
            raise refused
    except OSError as error:
        for one in bound:
            one.close()
        raise cannot_listen(host, port, error) from None
    return bound


def cannot_listen(host: str, port: int, error: OSError) -> RouterError:
    # asyncio puts the address into `strerror`; the plain text of the number is shorter.
    plain = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return RouterError(f"cannot listen on {host}:{port}: {plain or error}")


def _bound(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made
