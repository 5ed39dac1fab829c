import copy
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator import errors
from orchestrator.errors import RequestError
from orchestrator.protocols.chat_completions import (
    error_body,
    error_event,
    parse,
    rewrite,
    status_body,
)
from orchestrator.protocols.reasoning import ReasoningChange
from orchestrator.types import Identity, Request

GOLDEN = Path(__file__).parent.parent / "golden"
HELLO = {"model": "auto", "messages": [{"role": "user", "content": "hello"}]}
THINK = ReasoningChange("chat_template_kwargs", "enable_thinking", True)


@pytest.mark.parametrize(
    "body, param",
    [
        ([], None),
        ("text", None),
        (None, None),
        ({"messages": HELLO["messages"]}, "model"),
        (HELLO | {"model": ""}, "model"),
        (HELLO | {"model": 3}, "model"),
        ({"model": "m"}, "messages"),
        ({"model": "m", "messages": None}, "messages"),
        ({"model": "m", "messages": "hello"}, "messages"),
        ({"model": "m", "messages": {}}, "messages"),
        ({"model": "m", "messages": []}, "messages"),
        (HELLO | {"stream": "yes"}, "stream"),
        (HELLO | {"tools": {}}, "tools"),
        (HELLO | {"functions": 3}, "functions"),
        (HELLO | {"max_tokens": "many"}, "max_tokens"),
        (HELLO | {"max_tokens": True}, "max_tokens"),
        (HELLO | {"max_completion_tokens": 1.5}, "max_completion_tokens"),
        (HELLO | {"metadata": []}, "metadata"),
        (HELLO | {"metadata": {"": "x"}}, "metadata"),
        (HELLO | {"metadata": {"k" * 129: "x"}}, "metadata"),
        (HELLO | {"metadata": {"k": 3}}, "metadata.k"),
        (HELLO | {"metadata": {"k": "é" * 513}}, "metadata.k"),
        (HELLO | {"metadata": {str(n): "" for n in range(33)}}, "metadata"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_malformed_body_is_refused(body, param):
    with pytest.raises(RequestError) as failure:
        parse(body, {})

    assert failure.value.param == param


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"k" * 128: "é" * 512}},
        {"metadata": {str(n): "" for n in range(32)}},
        {"metadata": None, "stream": None, "tools": None, "max_tokens": None},
        {"max_tokens": 100.0},
        {"stream": True},
    ],
    ids=["longest metadata", "most metadata", "nulls", "whole float", "stream"],
)
def test_the_limits_themselves_are_accepted(fields):
    request = parse(HELLO | fields, {})

    assert request.stream is bool(fields.get("stream"))
    assert request.metadata == (fields.get("metadata") or {})


@pytest.mark.parametrize(
    "headers, identity",
    [
        ({}, Identity()),
        ({"x-authz-user-id": ""}, Identity()),
        ({"x-authz-user-id": "ann"}, Identity("ann")),
        (
            {"x-authz-user-id": "ann", "x-authz-user-groups": "a, b ,,c"},
            Identity("ann", ("a", "b", "c")),
        ),
        ({"x-authz-user-groups": "a"}, Identity(None, ("a",))),
    ],
    ids=["none", "empty", "user", "both", "groups"],
)
def test_identity(headers, identity):
    assert parse(HELLO, headers).identity == identity


def test_identity_headers_are_configurable():
    request = parse(HELLO, {"x-who": "ann", "x-authz-user-id": "eve"}, ("x-who", "x-teams"))

    assert request.identity == Identity("ann")


def nested(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": nested(300)},
        {"response_format": nested(900)},
        {"messages": [{"role": "user", "content": [{"type": "x", "y": nested(300)}]}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"function": nested(300)}]}]},
    ],
    ids=["tools", "response_format", "part", "tool call"],
)
def test_what_nests_too_deeply_is_refused(fields):
    with pytest.raises(RequestError):
        parse(HELLO | fields, {})


def test_an_unread_field_may_nest_until_it_has_to_be_written():
    body = HELLO | {"made_up": nested(300)}
    parse(body, {})

    with pytest.raises(RequestError):
        rewrite(body, "m", None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    "role content type text image_url url tool_calls function_call function arguments".split()
)
ROLES = st.sampled_from(["user", "assistant", "system", "developer", "tool", "function", "x"])
PARTS = st.dictionaries(KEYS, JSON | st.sampled_from(["text", "image_url", "input_image"]))
MESSAGES = st.fixed_dictionaries(
    {}, optional={"role": ROLES | JSON, "content": JSON | st.lists(PARTS), "tool_calls": JSON}
)
BODIES = st.fixed_dictionaries(
    {"model": st.just("auto")},
    optional={
        "messages": st.lists(MESSAGES | JSON, max_size=5) | JSON,
        "metadata": JSON,
        "stream": JSON,
        "tools": st.lists(JSON) | JSON,
        "functions": JSON,
        "response_format": JSON,
        "max_tokens": JSON,
        "chat_template_kwargs": JSON,
        "reasoning_effort": JSON,
    },
)


@settings(max_examples=1200, deadline=None)
@given(BODIES | JSON)
def test_any_json_is_a_request_or_a_request_error(body):
    before = copy.deepcopy(body)
    try:
        request = parse(body, {})
        rewrite(request.body, "m", THINK)
    except RequestError as error:
        assert orjson.loads(error_body(error))["error"]["type"] == "invalid_request_error"
    else:
        assert request.shape.floor_tokens >= 0
    assert repr(body) == repr(before)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_only_the_model_changes(fields):
    body = orjson.loads(orjson.dumps(HELLO)) | {
        key: value for key, value in fields.items() if _encodable(value)
    }

    written = orjson.loads(rewrite(body, "other", None))

    assert repr(written) == repr(orjson.loads(orjson.dumps(body | {"model": "other"})))


def _encodable(value):
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        return False
    return True


def test_unknown_fields_arrive_unchanged():
    extra = {
        "top_k": 3,
        "guided_json": {"type": "object"},
        "return_token_ids": True,
        "stream_options": {"include_usage": False},
        "max_completion_tokens": 9,
        "chat_template_kwargs": {"custom": 1},
        "made_up": {"deep": [None, 1.5, "ü\u2028"]},
        "logit_bias": {"5": -100},
        "n": 2,
        "seed": 7,
        "user": "u",
        "store": False,
        "parallel_tool_calls": False,
    }

    written = orjson.loads(rewrite(HELLO | extra, "m", THINK))

    kwargs = extra["chat_template_kwargs"] | {"enable_thinking": True}
    assert written == HELLO | extra | {"model": "m", "chat_template_kwargs": kwargs}


def test_error_bodies_match_the_golden_file():
    shown = [
        errors.RequestError("messages is required", "messages"),
        errors.Forbidden("user is not allowed"),
        errors.ModelNotFound("model 'x' does not exist", "model"),
        errors.BodyTooLarge("the body is larger than 10 bytes"),
        errors.UpstreamError("the connection broke"),
        errors.UpstreamUnavailable("no backend can be reached"),
        errors.UpstreamTimeout("the model stopped answering"),
        errors.InferenceTimeout("no answer in 0.5 s"),
    ]
    lines = [b"%d " % error.status + error_body(error) for error in shown]
    lines.append(b"404 " + status_body(404, "unknown URL: GET /x", "unknown_url"))
    lines.append(b"500 " + status_body(500, "internal error", "internal_error"))

    assert b"\n".join(lines) + b"\n" == (GOLDEN / "error_bodies.txt").read_bytes()


def test_an_error_event_is_one_event():
    event = error_event(errors.UpstreamError("broken\n\ndata: [DONE]"))

    assert event.startswith(b'data: {"error":') and event.endswith(b"}\n\n")
    assert event.count(b"\n") == 2


def test_a_message_with_half_a_surrogate_can_be_shown():
    assert b"model" in error_body(RequestError("model '\ud800'", "messages.\udfff"))


def test_a_request_keeps_what_it_was_read_from():
    raw = orjson.dumps(HELLO)

    request = parse(HELLO, {"a": "b"}, raw=raw)

    assert isinstance(request, Request)
    assert (request.body, request.raw, request.headers) == (HELLO, raw, {"a": "b"})
