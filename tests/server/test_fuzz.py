"""Anything at all as a request: never a 5xx, never a crashed signal, always a readable error.

Every heuristic signal family runs, with the rules of its configuration fragment.
"""

import asyncio
import json
import logging
from dataclasses import dataclass

import aiohttp
import pytest
import yaml
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator import evaluation
from orchestrator.app.names import names_of
from orchestrator.app.policies import build_policies, compile_policies, discover_extensions
from orchestrator.config.load import examine
from orchestrator.evaluation import CRASHED
from orchestrator.inference.triton import TritonInference
from orchestrator.pipeline import Pipeline
from orchestrator.server import management, middleware, routes
from orchestrator.server.evaluate import Evaluate
from orchestrator.server.keys import DataPlane
from orchestrator.server.management import Auth
from orchestrator.signals import SIGNALS
from orchestrator.telemetry import Telemetry
from orchestrator.upstream.fake import FakeUpstream
from tests.processes import ROOT


def policy():
    """All families that this version computes itself, each with a decision of its own."""
    discover_extensions()
    sections, decisions = {}, []
    for family in SIGNALS.names():
        kind = SIGNALS[family]
        if not kind.runs or kind.awaits:
            continue
        fragment = yaml.safe_load((ROOT / f"configs/fragments/signal/{family}.yaml").read_text())
        rows = fragment["routing"]["signals"][kind.section]
        sections[kind.section] = rows
        leaves = [{"type": family, "name": row.get("role", row["name"])} for row in rows]
        rules = {"operator": "OR", "conditions": leaves}
        decisions.append({"name": family, "rules": rules, "modelRefs": [{"model": "q"}]})
    return {
        "version": "v0.3",
        "providers": {
            "defaults": {
                "default_model": "q",
                "reasoning_families": {
                    "qwen3": {"type": "chat_template_kwargs", "parameter": "enable_thinking"}
                },
            },
            "models": [{"name": "q", "reasoning_family": "qwen3"}],
        },
        "routing": {
            "modelCards": [{"name": "q"}],
            "signals": sections,
            "decisions": decisions,
        },
        "global": {"services": {"authz": {"fail_open": True}}},
    }


class Crashes(logging.Handler):
    """Collects what is logged as an error: a signal or a handler that broke."""

    def __init__(self):
        super().__init__(logging.ERROR)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


@dataclass
class Fuzzed:
    """Both planes over a fake upstream; `send` posts bytes to a path."""

    runner: asyncio.Runner
    http: aiohttp.ClientSession
    ports: dict[str, int]
    crashes: Crashes

    def send(self, path, raw, headers=None):
        url = f"http://127.0.0.1:{self.ports[path]}{path}"
        given = {"content-type": "application/json", **(headers or {})}

        async def post():
            async with self.http.post(url, data=raw, headers=given) as answer:
                return answer.status, await answer.read()

        status, body = self.runner.run(post())
        said, self.crashes.said = self.crashes.said, []
        assert said == []
        return status, body


# Loggers of what catches exceptions; aiohttp logs broken bodies as errors, which they are not.
CRASHES = (evaluation.__name__, management.__name__, middleware.__name__)
CHAT, EVAL = "/v1/chat/completions", "/api/v1/eval"


@pytest.fixture(scope="module")
def router():
    compiled = compile_policies(examine(yaml.safe_dump(policy(), allow_unicode=True)))
    telemetry = Telemetry()
    policies = build_policies(compiled, TritonInference(()), telemetry.signal)
    pipeline = Pipeline(names_of(compiled.config), policies, FakeUpstream(), telemetry)
    data = routes.runner(routes.data_plane(DataPlane(lambda: pipeline, telemetry)), 1.0)
    evaluate = Evaluate(lambda: pipeline)
    managed = routes.runner(management.build(evaluate.endpoints(), Auth()), 1.0)
    crashes = Crashes()
    for name in CRASHES:
        logging.getLogger(name).addHandler(crashes)
    with asyncio.Runner() as runner:
        ports = {}

        async def start():
            for path, served in ((CHAT, data), (EVAL, managed)):
                await served.setup()
                await web.TCPSite(served, "127.0.0.1", 0).start()
                ports[path] = served.addresses[0][1]
            return aiohttp.ClientSession()

        http = runner.run(start())
        yield Fuzzed(runner, http, ports, crashes)

        async def stop():
            await http.close()
            await data.cleanup()
            await managed.cleanup()

        runner.run(stop())
    for name in CRASHES:
        logging.getLogger(name).removeHandler(crashes)


def judge_chat(status, body):
    assert status == 200 or 400 <= status < 500, (status, body)
    if status != 200:
        error = json.loads(body)["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert all(isinstance(error[field], str) for field in ("message", "type", "code"))


def judge_eval(status, body):
    answer = json.loads(body)
    assert status == 200 or 400 <= status < 500, (status, body)
    if status == 200:
        assert CRASHED not in answer["signal_errors"].values()
    else:
        assert set(answer["error"]) == {"code", "message", "timestamp"}


JUDGES = {CHAT: judge_chat, EVAL: judge_eval}
BOTH = pytest.mark.parametrize("path", [CHAT, EVAL])


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

VALID = {
    "model": "auto",
    "messages": [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": [{"type": "text", "text": "debug my python"}], "name": "ann"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "sunny"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "urgent: payment_failed"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ],
        },
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}},
    "metadata": {"tenant": "alpha", "event_type": "payment_failed", "severity": "high"},
    "stream": False,
    "stream_options": {"include_usage": True},
    "max_tokens": 100,
    "max_completion_tokens": 100,
    "reasoning_effort": "high",
    "chat_template_kwargs": {"enable_thinking": True},
    "temperature": 0.5,
    "user": "u",
    "functions": [],
    "text": "hello",
    "options": {"trace": True},
}


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


def encoded(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=True)
    return text.encode("utf-8", "surrogatepass")


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


RAW = encoded(VALID, True)


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


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "nonsense", "gzip, gzip"])
def test_a_body_that_is_not_encoded_as_it_says(router, encoding):
    judge_chat(*router.send(CHAT, RAW, {"content-encoding": encoding}))


def test_an_encoding_that_only_the_http_library_knows(router):
    """aiohttp refuses zstd by itself, in plain text, before any handler is asked."""
    assert router.send(CHAT, RAW, {"content-encoding": "zstd"})[0] in (400, 415)


def test_the_valid_body_is_valid(router):
    assert [router.send(path, RAW)[0] for path in (CHAT, EVAL)] == [200, 200]
