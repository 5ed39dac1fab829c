"""Without a server: how one fails. tests/build_engines/vision/test_live.py asks a real one."""

import numpy as np
import pytest

from build_engines.live.server import Eyes, Server, strings
from orchestrator.errors import InferenceError
from tests.processes import free_ports


def test_strings_are_rows_of_one_element():
    assert strings([b"a", b"\0"]).tolist() == [[b"a"], [b"\0"]]


def test_no_server_is_one_line():
    [port] = free_ports(1)
    server = Server(f"127.0.0.1:{port}")

    with pytest.raises(InferenceError, match=rf"127.0.0.1:{port}: m: ") as raised:
        server.infer("m", {"TEXT": strings([b"a"])}, ["EMBEDDING"])

    assert "\n" not in str(raised.value)
    server.close()


class Counting:
    """Pixels that say how often they were asked."""

    def __init__(self):
        self.asked = 0

    def infer(self, model, inputs, outputs):
        self.asked += 1
        return [np.full((1, 3, 2, 2), self.asked, np.float64)]


def test_pixels_are_asked_once_until_they_are_forgotten():
    eyes = Eyes(Counting())

    first, again = eyes.pixels(b"a"), eyes.pixels(b"a")
    other = eyes.pixels(b"b")
    eyes.forget()

    assert (first.dtype, first.shape) == (np.float32, (3, 2, 2))
    assert [one[0, 0, 0] for one in (first, again, other, eyes.pixels(b"a"))] == [1, 1, 2, 3]


def test_without_a_whole_both_parts_are_one():
    assert Eyes(Counting(), whole=None).side().whole is None
    assert Eyes(Counting()).side().whole is not None
