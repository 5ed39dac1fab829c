import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.protocols.sse import HELD, Passage

ERROR = b'data: {"error":{}}\n\n'
DONE = b"data: [DONE]\n\n"
WORD = b'data: {"choices":[{"delta":{"content":"w"},"finish_reason":null}]}\n\n'
STOP = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"total_tokens":3}}\n\n'
ODD = 'data: {"c":"\u2028 \x85 \U0001f600 é"}\n\n'.encode()


def passed(*chunks):
    """Everything passed on, and whether the answer was whole."""
    passage = Passage()
    out = b"".join(passage.feed(chunk) for chunk in chunks)
    rest, whole = passage.finish()
    return out + rest, whole


@pytest.mark.parametrize(
    "stream, whole",
    [
        (b"", False),
        (WORD, False),
        (WORD + b'data: {"choi', False),
        (b'data: {"c":"data: [DONE]"}\n\n', False),
        (b'data: {"c":"\\"finish_reason\\":\\"stop\\""}\n\n', False),
        (WORD + DONE, True),
        (WORD + b"data:[DONE]\n\n", True),
        (WORD + b"data: [DONE]", True),
        (WORD.replace(b"\n", b"\r\n") + b"data: [DONE]\r\n\r\n", True),
        (WORD + STOP, True),
        (WORD + STOP + USAGE, True),
        (ODD + USAGE + DONE, True),
    ],
    ids=lambda value: str(value)[-60:],
)
def test_bytes_are_kept_however_they_are_cut(stream, whole):
    assert passed(stream) == (stream, whole)
    assert passed(*(stream[at : at + 1] for at in range(len(stream)))) == (stream, whole)
    assert passed(*stream.splitlines(keepends=True)) == (stream, whole)


@given(st.lists(st.binary(max_size=40) | st.sampled_from([WORD, DONE, b"\n\n", b"\r\n", b":\n"])))
def test_no_byte_is_lost_or_added(chunks):
    assert passed(*chunks)[0] == b"".join(chunks)


def test_whole_events_are_passed_on_at_once():
    passage = Passage()

    assert passage.feed(WORD + WORD[:20]) == WORD
    assert passage.feed(WORD[20:] + ODD) == WORD + ODD
    assert passage.feed(b": alive\n") == b": alive\n"


def test_a_very_long_event_is_passed_on_unfinished():
    passage = Passage()
    line = b'data: {"c":"' + b"x" * (2 << 20)

    assert passage.feed(line) == line
    assert passage.feed(b"y") == b"y"
    assert passage.feed(b'"}\n\n' + WORD[:9]) == b'"}\n\n' + WORD[:9]


@pytest.mark.parametrize(
    "chunks, end",
    [
        ([], ERROR),
        ([WORD], WORD + ERROR),
        ([WORD, b'data: {"choi'], WORD + ERROR),
        ([WORD, b'data: {"a":1}\n'], WORD + ERROR),
        ([b"data: " + b"x" * (HELD + 1)], b"data: " + b"x" * (HELD + 1) + b"\n\n" + ERROR),
        ([b": alive\n"], b": alive\n" + b"\n" + ERROR),
        ([WORD.replace(b"\n", b"\r\n")], WORD.replace(b"\n", b"\r\n") + ERROR),
    ],
    ids=["nothing", "whole", "mid-line", "mid-event", "long", "comment", "carriage returns"],
)
def test_a_broken_stream_ends_with_an_event_of_its_own(chunks, end):
    passage = Passage()

    out = b"".join(passage.feed(chunk) for chunk in chunks) + passage.interrupt(ERROR)

    assert out == end
