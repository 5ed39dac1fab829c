import pytest

from orchestrator.errors import BodyTooLarge
from orchestrator.probes.request import body_of
from tests.probes.files import DOCUMENT, PIXEL, PIXEL_SHA256, a_file, edited

VARIANT = "decisions.0.variants.0."


def body(**edits):
    file, (probe,) = a_file(edited(DOCUMENT, {VARIANT + key: edits[key] for key in edits}))
    return body_of(probe, file)


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        pytest.param({}, "Sue them now!", id="as written"),
        pytest.param({"query": " Sue! \n"}, "Sue!", id="blanks around are not part of it"),
        pytest.param({"query": "a", "repeat": 3}, "a\na\na", id="repeated"),
        pytest.param({"query": "q", "padding": {"text": "p"}}, "p\nq", id="padding goes before"),
        pytest.param(
            {"query": "q", "padding": {"text": "p", "repeat": 2, "placement": "after"}},
            "q\np\np",
            id="after",
        ),
        pytest.param(
            {"query": "q", "padding": {"text": "p", "repeat": 3, "placement": "around"}},
            "p\nq\np\np",
            id="around an odd number: the smaller half first",
        ),
        pytest.param(
            {"query": "q", "repeat": 2, "padding": {"text": "p", "repeat": 1}},
            "p\nq\nq",
            id="both",
        ),
    ],
)
def test_text(edits, text):
    assert body(**edits) == {"text": text}


def test_model_tools_and_tool_choice_are_sent():
    edits = {
        "decisions.0.model": "legal-route",
        VARIANT + "tools": [{"type": "function", "function": {"name": "f"}}],
        VARIANT + "tool_choice": {"type": "function", "function": {"name": "f"}},
    }
    file, (probe,) = a_file(edited(DOCUMENT, edits))

    assert body_of(probe, file) == {
        "text": "Sue them now!",
        "model": "legal-route",
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
    }


def test_generated_text_fills_a_message_up_to_the_byte():
    messages = [
        {"role": "user", "content": "before"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "é€"}, {"type": "input_text", "text": "ab"}],
        },
    ]
    generated = {"message_index": 1, "content_index": 1, "target_text_bytes": 10, "character": "z"}

    sent = body(query=None, messages=messages, generated_text=generated)

    assert sent["messages"][0] == messages[0]
    assert sent["messages"][1]["content"] == [
        {"type": "text", "text": "é€"},
        {"type": "text", "text": "zzz"},
        {"type": "input_text", "text": "ab"},
    ]


def test_pictures_are_sent_inline_and_the_file_is_left_alone():
    image = {
        "description": "a pixel",
        "media_type": "image/png",
        "sha256": PIXEL_SHA256,
        "data_base64": f"{PIXEL[:40]}\n  {PIXEL[40:]}\n",
    }
    part = {"type": "image_fixture", "fixture": "pixel"}
    edits = {
        "fixtures": {"images": {"pixel": image}},
        VARIANT + "query": None,
        VARIANT + "messages": [{"role": "user", "content": [part]}],
    }
    file, (probe,) = a_file(edited(DOCUMENT, edits))

    first, second = body_of(probe, file), body_of(probe, file)

    assert first == second
    assert first["messages"][0]["content"] == [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    ]
    assert probe.variant.messages[0]["content"] == [part]


def test_what_no_router_would_take_is_not_sent():
    with pytest.raises(BodyTooLarge, match="law:sue"):
        body(query="x" * 2000, repeat=6000)
