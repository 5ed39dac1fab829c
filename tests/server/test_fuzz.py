"""Anything at all as a request: never a 5xx, never a crashed signal, always a readable error.

Every heuristic signal family runs, with the rules of its configuration fragment.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.fuzzed import BOTH, CHAT, JUDGES, RAW, VALID, encoded, fuzzed, judge_chat


@pytest.fixture(scope="module")
def router():
    with fuzzed() as found:
        yield found


def fuzz(examples):
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=checks,
    )


# Words that some rule or parser looks for, beside text of all scripts.
WORDS = st.sampled_from(
    [
        *("python", "debug", "urgent!!", "pasword", "至少 5 个", "C++ .NET", "1. one\n2. two\n"),
        *(
            "首先 a 然后 b",
            "payment_failed",
            "data:image/png;base64,AAAA",
            "\u2028\u0085\x00\ufeff",
        ),
        *(
            "auto",
            "q",
            "user",
            "system",
            "tool",
            "text",
            "image_url",
            "2026-01-01T00:00:00Z",
            "a" * 3000,
        ),
    ]
)
TEXT = st.one_of(WORDS, st.text(max_size=40), st.text(st.characters(), max_size=8))
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(),
    st.sampled_from([2**63, 2**64, -(2**63) - 1, 10**400, 1e308, 5e-324, -0.0]),
    st.floats(),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)


def places(value, at=()):
    """The path of every part of `value`."""
    yield at
    parts = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        parts = dict(enumerate(value))
    for key, part in parts.items():
        yield from places(part, (*at, key))


PLACES = [place for place in places(VALID) if place]


def changed(value, place, new):
    """A copy of `value` with `new` (or nothing, for REMOVED) at `place`."""
    if not place:
        return new
    key, *rest = place
    parts = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        parts = dict(enumerate(value))
    if key not in parts:
        return value  # an earlier change has taken this part away
    copy = value.copy()
    if not rest and new is REMOVED:
        copy.pop(key)
    else:
        copy[key] = changed(copy[key], rest, new)
    return copy


REMOVED = object()
CHANGES = st.lists(
    st.tuples(st.sampled_from(PLACES), st.one_of(st.just(REMOVED), VALUES)), min_size=1, max_size=3
)


@BOTH
@fuzz(300)
@given(value=VALUES, ascii_only=st.booleans())
def test_any_json(router, path, value, ascii_only):
    JUDGES[path](*router.send(path, encoded(value, ascii_only)))


@BOTH
@fuzz(400)
@given(changes=CHANGES, ascii_only=st.booleans())
def test_a_valid_body_with_anything_in_some_of_its_places(router, path, changes, ascii_only):
    body = VALID
    for place, new in changes:
        body = changed(body, place, new)

    JUDGES[path](*router.send(path, encoded(body, ascii_only)))


@BOTH
@fuzz(150)
@given(data=st.data())
def test_bytes_of_a_valid_body_replaced(router, path, data):
    start = data.draw(st.integers(0, len(RAW)))
    end = data.draw(st.integers(start, min(len(RAW), start + 20)))
    inserted = data.draw(
        st.one_of(st.binary(max_size=8), st.just(b'"model":"q",'), st.just(b"1e999"))
    )

    JUDGES[path](*router.send(path, RAW[:start] + inserted + RAW[end:]))


@BOTH
@fuzz(50)
@given(raw=st.binary(max_size=200))
def test_any_bytes(router, path, raw):
    status, body = router.send(path, raw)

    JUDGES[path](status, body)
    assert status == 400


HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"))


@fuzz(100)
@given(
    name=st.sampled_from(
        [
            *(
                "x-authz-user-id",
                "x-authz-user-groups",
                "x-vsr-debug",
                "x-request-id",
                "connection",
            ),
            *("authorization", "accept", "cookie", "traceparent", "content-type", "x-any"),
        ]
    ),
    value=HEADER,
)
def test_any_header(router, name, value):
    judge_chat(*router.send(CHAT, RAW, {name: value.strip()}))
