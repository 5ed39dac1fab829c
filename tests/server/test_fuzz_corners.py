"""Requests at the edge of what can be read: never a 5xx, never a crashed signal."""

import pytest

from tests.server.fuzzed import BOTH, CHAT, EVAL, JUDGES, RAW, encoded, fuzzed, judge_chat


@pytest.fixture(scope="module")
def router():
    with fuzzed() as found:
        yield found


def message(content, **fields):
    return {"model": "auto", "messages": [{"role": "user", "content": content} | fields]}


CORNERS = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"\xef\xbb\xbf" + RAW, id="a byte order mark"),
    pytest.param(b"[" * 100_000, id="brackets"),
    pytest.param(b"[" * 1_000 + b"]" * 1_000, id="nested lists"),
    pytest.param(b'{"a":' * 5_000 + b"1" + b"}" * 5_000, id="nested objects"),
    *(
        pytest.param(
            b'{"model":"auto","messages":[{"role":"user","content":"hi"}],"%s":%s1%s}'
            % (field, b"[" * depth, b"]" * depth),
            id=f"{field.decode()} nested {depth} deep",
        )
        for field in (b"tools", b"metadata", b"x", b"chat_template_kwargs", b"response_format")
        for depth in (200, 253, 254, 255, 1_000)
    ),
    pytest.param(b'{"model":"auto","model":"q","messages":[],"messages":1}', id="keys twice"),
    pytest.param(encoded(message("\ud83d half an emoji"), True), id="half a surrogate pair"),
    pytest.param(encoded(message("\ud83d half an emoji"), False), id="the same unescaped"),
    pytest.param(encoded(message("x", role="\udfff"), True), id="half a pair as a role"),
    pytest.param(encoded(message("a" * 1_000_000), True), id="a million characters"),
    pytest.param(encoded(message("用" * 300_000), False), id="a long text without spaces"),
    pytest.param(encoded(message("? " * 300_000), True), id="questions"),
    pytest.param(encoded(message([{"type": "text", "text": "x"}] * 20_000), True), id="parts"),
    pytest.param(
        b'{"model":"auto","max_tokens":1e400,"messages":[{"role":"user","content":"hi"}]}',
        id="infinity",
    ),
    pytest.param(
        b'{"model":"auto","max_tokens":NaN,"messages":[{"role":"user","content":"hi"}]}', id="NaN"
    ),
    pytest.param(
        b'{"model":"auto","max_tokens":%s,"messages":[{"role":"user","content":"hi"}]}'
        % (b"9" * 5_000),
        id="huge",
    ),
]


@BOTH
@pytest.mark.parametrize("raw", CORNERS)
def test_corners(router, path, raw):
    JUDGES[path](*router.send(path, raw))


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "nonsense", "gzip, gzip"])
def test_a_body_that_is_not_encoded_as_it_says(router, encoding):
    judge_chat(*router.send(CHAT, RAW, {"content-encoding": encoding}))


def test_the_valid_body_is_valid(router):
    assert [router.send(path, RAW)[0] for path in (CHAT, EVAL)] == [200, 200]
