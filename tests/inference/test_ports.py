import socket

import pytest

from orchestrator.errors import ServerStartError
from orchestrator.inference.ports import EPHEMERAL, FIRST, free_port, taken


def test_a_listening_port_is_taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()

        assert taken("127.0.0.1", holder.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "why"),
    [
        pytest.param("192.0.2.1", "Cannot assign requested address", id="another machine's"),
        pytest.param("::1", "Address family for hostname not supported", id="IPv6"),
        pytest.param("é" * 64, "no such host", id="no name"),
    ],
)
def test_where_nobody_can_listen_is_not_called_taken(host, why):
    with pytest.raises(ServerStartError, match=f"cannot listen on {host}:20001: {why}"):
        taken(host, 20_001)


def test_a_free_port_is_free_and_not_ephemeral():
    limit = int(EPHEMERAL.read_text().split()[0])
    for _ in range(20):
        port = free_port("127.0.0.1")

        assert not taken("127.0.0.1", port)
        assert FIRST <= port < limit
