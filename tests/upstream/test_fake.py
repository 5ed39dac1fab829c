import pytest

from orchestrator.errors import UpstreamError, UpstreamUnavailable
from orchestrator.types import Candidate, Request
from orchestrator.upstream.fake import EVENTS, FakeUpstream

CALL = (Candidate("m"), Request("auto", "hi"), "routed")


async def test_it_answers_as_it_was_told_and_remembers():
    fake = FakeUpstream([b"a", b"b"], 201, EVENTS)

    async with fake.open(*CALL) as answer:
        pieces = [piece async for piece in answer.chunks]

    assert (pieces, answer.status, answer.events) == ([b"a", b"b"], 201, True)
    assert (fake.calls, fake.closed) == ([CALL], 1)


async def test_it_breaks_where_it_was_told_to():
    fake = FakeUpstream([b"a", UpstreamError("broken")])

    with pytest.raises(UpstreamError):
        async with fake.open(*CALL) as answer:
            [piece async for piece in answer.chunks]

    with pytest.raises(UpstreamUnavailable):
        async with FakeUpstream(refusal=UpstreamUnavailable("none")).open(*CALL):
            pass
