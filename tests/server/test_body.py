"""How bodies are read; encodings and sizes are in test_middleware and test_management."""

import pytest

from orchestrator.upstream.fake import FakeUpstream
from tests.server.plane import plane, routed
from tests.upstream.scripted import answering, backend, plain


@pytest.mark.parametrize(
    "number",
    [
        "18446744073709551616",
        "-9223372036854775809",
        "9" * 300,
        "18446744073709551615",
        "-1",
        "1.5",
    ],
    ids=["2^64", "below -2^63", "300 digits", "2^64-1", "small", "fraction"],
)
async def test_numbers_are_exact_in_a_rewritten_body(number):
    raw = f'{{"model":"auto","messages":[],"seed":{number},"tools":[{{"x":[{number}]}}]}}'
    async with backend(answering(plain(b"{}"))) as server, routed(server.endpoint) as running:
        async with running.chat(raw.encode()) as response:
            assert response.status == 200

    sent = raw.replace('"auto"', '"q"').encode()
    assert server.exchanges[0].raw == sent


async def test_long_digits_deep_inside_are_refused_and_break_nothing():
    deep = b'{"model":"auto","messages":[],"x":%s%s%s}' % (b"[" * 1000, b"9" * 30, b"]" * 1000)
    async with plane(FakeUpstream()) as running, running.chat(deep) as response:
        assert response.status in (200, 400)
