import socket

from orchestrator.inference.ports import EPHEMERAL, FIRST, free_ports, taken


def test_a_listening_port_is_taken():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()

        assert taken("127.0.0.1", holder.getsockname()[1])


def test_free_ports_are_two_free_and_not_ephemeral():
    limit = int(EPHEMERAL.read_text().split()[0])
    for _ in range(20):
        ports = free_ports("127.0.0.1")

        assert len(set(ports)) == 2
        assert not any(taken("127.0.0.1", port) for port in ports)
        assert all(FIRST <= port < limit for port in ports)
