import pytest

from orchestrator.errors import RequestError
from orchestrator.protocols.chat_completions import parse
from orchestrator.protocols.transcript import TOKENS_PER_IMAGE

PNG = "data:image/png;base64,iVBORw0KGgo="
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}


def read(*messages, **fields):
    return parse({"model": "auto", "messages": list(messages), **fields}, {})


def user(content):
    return {"role": "user", "content": content}


def picture(url):
    return {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize(
    "message, param",
    [
        ("hello", "messages[0]"),
        ({"content": "x"}, "messages[0].role"),
        ({"role": 3, "content": "x"}, "messages[0].role"),
        ({"role": "user"}, "messages[0].content"),
        ({"role": "user", "content": None}, "messages[0].content"),
        ({"role": "user", "content": []}, "messages[0].content"),
        ({"role": "user", "content": 3}, "messages[0].content"),
        ({"role": "user", "content": {"text": "x"}}, "messages[0].content"),
        ({"role": "user", "content": [1]}, "messages[0].content[0]"),
        ({"role": "user", "content": [{"type": []}]}, "messages[0].content[0].type"),
        ({"role": "assistant", "tool_calls": "f"}, "messages[0].tool_calls"),
        ({"role": "assistant", "tool_calls": [1]}, "messages[0].tool_calls[0]"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_malformed_message_is_named(message, param):
    with pytest.raises(RequestError) as failure:
        read(message)

    assert failure.value.param == param


@pytest.mark.parametrize(
    "content, text",
    [
        ("", ""),
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a b"),
        ([{"text": "untyped"}], "untyped"),
        ([{"type": "", "text": "empty type"}], "empty type"),
        ([{"type": "refusal", "text": "not the field of a refusal"}], ""),
        ([{"type": "thinking", "thinking": ["not a text"]}], ""),
        ([{"type": "input_text", "text": "what vLLM reads too"}], "what vLLM reads too"),
        ([{"type": "refusal", "refusal": "and this"}], "and this"),
        ([{"type": "thinking", "thinking": "and that"}], "and that"),
        (["a bare string"], "a bare string"),
        ([picture(PNG), {"type": "text", "text": "what is it?"}], "what is it?"),
        ([picture(PNG)], ""),
    ],
    ids=lambda value: str(value)[:40],
)
def test_text_of_a_user_message(content, text):
    assert read(user(content)).user_text == text


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "content": None, "reasoning_content": "hm"},
        {"role": "assistant", "content": []},
        {"role": "tool", "tool_call_id": "1"},
        {"role": "system", "content": None},
    ],
    ids=str,
)
def test_only_a_turn_of_the_user_needs_content(message):
    request = read(user("go"), message)

    assert (request.user_text, request.non_user_texts) == ("go", ())


def test_an_earlier_turn_without_content_is_named_too():
    with pytest.raises(RequestError) as failure:
        read(user("go"), {"role": "assistant", "content": "yes?"}, {"role": "user"})

    assert failure.value.param == "messages[2].content"


def test_the_last_user_message_with_text_counts():
    request = read(
        {"role": "developer", "content": "be brief"},
        user("first"),
        {"role": "assistant", "content": "yes?"},
        user("second"),
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        user([picture(PNG)]),
        user("  "),
    )

    assert request.text == request.user_text == "second"
    assert request.prior_user_texts == ("first",)
    assert request.non_user_texts == ("be brief", "yes?")
    assert request.has_assistant_reply
    assert request.shape.context_bytes == len("second" + "be brief" + "yes?")


def test_a_role_that_nobody_knows_hides_no_text():
    request = read({"role": "User", "content": "a"}, user("b"))

    assert (request.user_text, request.non_user_texts) == ("b", ("a",))
    assert not request.has_assistant_reply


def test_without_user_text_the_others_are_read():
    request = read({"role": "system", "content": "a"}, {"role": "assistant", "content": "b"})

    assert (request.text, request.user_text) == ("a b", "")


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.com/cat.png", "/cat.png", "", " ", " /" + PNG, 7, None],
    ids=str,
)
def test_what_is_no_picture_is_counted_and_not_kept(url):
    request = read(user([picture(url)]))

    assert request.images == ()
    assert (request.shape.images, request.shape.pictures) == (1, 1)


@pytest.mark.parametrize("role", ["system", "developer", "assistant", "tool", "User"])
@pytest.mark.parametrize(
    "part",
    [picture(PNG), {"type": "image_embeds", "image_embeds": "AAAA"}],
    ids=["a picture", "an embedded one"],
)
def test_a_picture_that_others_show_is_counted_and_not_kept(role, part):
    shape = read({"role": role, "content": [part]}, user("what is it?")).shape

    assert (shape.images, shape.pictures) == (0, 1)


def test_other_parts_are_no_pictures():
    assert read(user([{"type": "input_audio", "input_audio": {}}, "text"])).shape.pictures == 0


@pytest.mark.parametrize(
    "url",
    [" " + PNG, "\n\t" + PNG, "\x00\x1f" + PNG, "da\nta:" + PNG.removeprefix("data:")],
    ids=["space", "breaks", "controls", "within the scheme"],
)
def test_what_stands_before_a_picture_does_not_hide_it(url):
    assert read(user([picture(url)])).images == (PNG,)


@pytest.mark.parametrize(
    "part",
    [
        picture(PNG),
        {"type": "image_url", "image_url": PNG},
        {"type": "input_image", "image_url": PNG},
        {"image_url": {"url": PNG}},
    ],
    ids=["usual", "bare url", "input_image", "untyped"],
)
def test_the_pictures_of_the_user_are_kept_in_order(part):
    other = "data:image/webp;base64,AAAA"
    request = read(
        {"role": "assistant", "content": [picture(other)]}, user([part]), user([picture(other)])
    )

    assert request.images == (PNG, other)
    assert request.shape.images == 2
    assert request.shape.floor_tokens == 3 * TOKENS_PER_IMAGE + 3 * 4


@pytest.mark.parametrize(
    "url",
    [
        "DATA:IMAGE/JPEG;BASE64,AAAA",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:text/html;base64,PGI+",
        "data:image/png,plain",
        "HTTPS://example.com/cat.png",
        "http://169.254.169.254/latest",
    ],
)
def test_what_may_have_to_be_refused_is_kept(url):
    assert read(user([picture(PNG), picture(url)])).images == (PNG, url)


def test_tool_traffic_is_counted():
    shape = read(
        user("go"),
        {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        tools=[{"type": "function", "function": {"name": "f"}}],
        functions=[{"name": "g"}],
    ).shape

    assert shape.tool_definitions == 2
    assert shape.assistant_tool_calls == 3
    assert shape.tool_results == 1
    assert shape.roles == {"user": 1, "assistant": 2, "tool": 1}


RESULT = {"role": "tool", "content": "42"}
ASKS = {"role": "assistant", "tool_calls": [CALL]}


@pytest.mark.parametrize(
    "messages, active",
    [
        ([user("hi")], False),
        ([ASKS, RESULT, {"role": "assistant", "content": "42"}], False),
        ([ASKS, RESULT, {"role": "assistant", "content": "42"}, user("thanks")], False),
        ([ASKS, RESULT], True),
        ([{"role": "function", "name": "f", "content": "42"}], True),
        ([ASKS, RESULT, user("and?")], True),
        (
            [{**ASKS, "tool_calls": [CALL, CALL]}, RESULT, {"role": "assistant", "content": ""}],
            True,
        ),
    ],
    ids=["plain", "closed", "closed, thanks", "result", "function", "user after result", "open"],
)
def test_active_tool_loop(messages, active):
    assert read(*messages).shape.active_tool_loop is active


@pytest.mark.parametrize(
    "messages, fields, tokens",
    [
        ([user("12345")], {}, 2 + 4),
        ([user("é")], {}, 1 + 4),
        ([user("1234"), user("1")], {}, 2 + 8),  # rounded up once, not once a message
        ([user("")], {"max_tokens": 100}, 4 + 100),
        ([user("")], {"max_completion_tokens": 7, "max_tokens": 100}, 4 + 7),
        ([user("")], {"max_tokens": None}, 4),
        ([RESULT], {}, 2 + 4 + 8),
        ([ASKS], {}, len('{"a":1}') + 4 + 8),
        ([user("")], {"tools": [{"a": 1}]}, len('[{"a":1}]') + 4 + 8),
        ([user("")], {"response_format": {"type": "text"}}, len('{"type":"text"}') + 4),
        ([user([{"type": "file", "id": 1}])], {}, len('{"type":"file","id":1}') + 4),
    ],
    ids=lambda value: str(value)[:50],
)
def test_token_floor(messages, fields, tokens):
    assert read(*messages, **fields).shape.floor_tokens == tokens
