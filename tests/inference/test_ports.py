import socket

from orchestrator.inference.ports import EPHEMERAL, FIRST, free_port, taken


def test_a_listening_port_is_taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()

        assert taken("127.0.0.1", holder.getsockname()[1])


def test_a_free_port_is_free_and_not_ephemeral():
    limit = int(EPHEMERAL.read_text().split()[0])
    for _ in range(20):
        port = free_port("127.0.0.1")

        assert not taken("127.0.0.1", port)
        assert FIRST <= port < limit
