from base64 import b64decode
from collections import Counter
from io import BytesIO

import pytest
from PIL import Image
from tokenizers import Tokenizer

from perf.requests import items
from perf.scenario import Request
from perf.served import REPOSITORY


def tokens(text):
    tokenizer = Tokenizer.from_file(str(REPOSITORY / "text_embedding/tokenizer.json"))
    tokenizer.no_truncation()
    return len(tokenizer.encode(text).ids)


def made(*mix, count=4, seed=1):
    return items([Request(**kind) for kind in mix], count, seed)


@pytest.mark.parametrize("length", [3, 16, 64, 256, 512])
def test_a_text_has_its_tokens_the_special_ones_included(length):
    found = made({"tokens": length})
    assert [tokens(one.text) for one in found] == [length] * 4


def test_texts_differ_and_come_again_with_their_seed():
    found = made({"tokens": 64}, count=50)
    assert len({one.text for one in found}) == 50
    assert found == made({"tokens": 64}, count=50)
    other = made({"tokens": 64}, count=50, seed=2)
    assert not {one.text for one in found} & {one.text for one in other}


@pytest.mark.parametrize(
    ("shares", "count", "found"),
    [
        pytest.param((1,), 8, (8,), id="one kind"),
        pytest.param((6, 3, 1), 20, (12, 6, 2), id="three kinds"),
        pytest.param((100, 1), 10, (10, 1), id="a rare one is there all the same"),
    ],
)
def test_kinds_have_their_shares_in_no_order(shares, count, found):
    mix = [{"tokens": 8, "tools": at, "share": share} for at, share in enumerate(shares)]
    kinds = [one.tools for one in made(*mix, count=count)]
    assert Counter(kinds) == dict(enumerate(found))
    if len(shares) == 3:
        assert kinds != sorted(kinds)


@pytest.mark.parametrize(
    ("form", "size"),
    [("jpeg", (640, 480)), ("webp", (320, 200)), ("png", (800, 600))],
    ids=("jpeg", "webp", "png"),
)
def test_a_picture_is_of_its_format_and_size(form, size):
    (one,) = made({"picture": f"{form} {size[0]}x{size[1]}"}, count=1)
    with Image.open(BytesIO(one.picture)) as picture:
        assert (picture.format.lower(), picture.size) == (form, size)
    assert one.form == form


def test_a_text_alone_is_a_plain_chat():
    (one,) = made({"tokens": 16}, count=1)
    (message,) = one.chat()["messages"]
    assert message == {"role": "user", "content": one.text}
    assert one.chat()["stream"] is False
    assert "tools" not in one.chat()


def test_a_stream_with_tools_says_so():
    (one,) = made({"tokens": 16, "tools": 8, "stream": True}, count=1)
    body = one.chat()
    assert body["stream"] is True
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert len(set(names)) == 8


def test_a_picture_goes_with_its_text():
    (one,) = made({"tokens": 16, "picture": "webp 64x64"}, count=1)
    text, picture = one.chat()["messages"][0]["content"]
    assert text == {"type": "text", "text": one.text}
    head, _, data = picture["image_url"]["url"].partition(",")
    assert head == "data:image/webp;base64"
    assert b64decode(data) == one.picture


def test_a_picture_goes_alone():
    (one,) = made({"picture": "jpeg 64x64"}, count=1)
    (part,) = one.chat()["messages"][0]["content"]
    assert part["type"] == "image_url"


def test_no_two_pictures_are_the_same_bytes_and_all_show_the_same():
    found = items([Request(picture="jpeg 64x48")], 5, 1)
    assert len({one.picture for one in found}) == 5
    seen = {Image.open(BytesIO(one.picture)).convert("RGB").tobytes() for one in found}
    assert len(seen) == 1
