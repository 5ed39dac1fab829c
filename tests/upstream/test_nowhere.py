import pytest

from orchestrator.errors import UpstreamUnavailable
from orchestrator.types import Candidate, Request
from orchestrator.upstream.nowhere import Nowhere


def test_nothing_is_sent():
    with pytest.raises(UpstreamUnavailable):
        Nowhere().open(Candidate("small"), Request("auto", "hello"), "routed")
