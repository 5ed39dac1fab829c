import socket

import pytest

from orchestrator.app.sockets import bind
from orchestrator.errors import RouterError
from tests.processes import free_ports


def test_a_free_port_is_bound_and_not_yet_listening():
    (port,) = free_ports(1)
    (bound,) = bind("127.0.0.1", port)
    with bound, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_every_address_of_a_host():
    bound = bind("localhost", free_ports(1)[0])

    assert {one.getsockname()[0] for one in bound} <= {"127.0.0.1", "::1"}
    assert bound
    for one in bound:
        one.close()


def test_a_taken_port_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RouterError, match=rf"^cannot listen on 127.0.0.1:{port}: Address alre"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "said"),
    [
        pytest.param("999.1.1.1", "not known", id="no address"),
        pytest.param("192.0.2.1", "Cannot assign", id="an address of another machine"),
    ],
)
def test_a_host_that_is_not_this_machine(host, said):
    with pytest.raises(RouterError, match=f"cannot listen on {host}:1: .*{said}"):
        bind(host, 1)
