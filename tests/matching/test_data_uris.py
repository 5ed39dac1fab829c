import base64
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.matching.data_uris import PIECE, Image, Limits, PictureRefused, check, decode
from tests.matching.encoded import gif, jpeg, png, uri, webp

LIMITS = Limits(max_bytes=1_000, max_pixels=1_000_000)
PAYLOAD = base64.b64encode(png()).decode()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param("", "in no data URI", id="nothing"),
        pytest.param("https://example.org/a.png", "in no data URI", id="a URL"),
        pytest.param(f"data:image/png,{PAYLOAD}", "in no data URI", id="not base64"),
        pytest.param(f"data:image/png;base64;{PAYLOAD}", "in no data URI", id="no comma"),
        pytest.param(f"data:;base64,{PAYLOAD}", "in no data URI", id="no type"),
        pytest.param(f"data:image/png;a=b;base64,{PAYLOAD}", "in no data URI", id="parameters"),
        pytest.param(f" data:image/png;base64,{PAYLOAD}", "in no data URI", id="blank before"),
        pytest.param(f"data:image/png; base64,{PAYLOAD}", "in no data URI", id="blank within"),
        pytest.param(f"data:text/html;base64,{PAYLOAD}", "in no data URI", id="no image"),
        pytest.param(f"data:image/{'x' * 99};base64,", "in no data URI", id="a very long head"),
        pytest.param(
            uri(b"<svg/>", "svg+xml"), "declared as svg[+]xml, which is not read", id="svg"
        ),
        pytest.param(uri(png(), "tiff"), "declared as tiff, which is not read", id="tiff"),
        pytest.param("data:image/png;base64,", "empty", id="no payload"),
        pytest.param(uri(png(), "jpeg"), "declared as jpeg but is png", id="png as jpeg"),
        pytest.param(uri(jpeg(), "png"), "declared as png but is jpeg", id="jpeg as png"),
        pytest.param(uri(b"<svg/>"), "of no format that is read", id="svg as png"),
        pytest.param(uri(b"MZ\x90\0" * 20), "of no format that is read", id="a program as png"),
        pytest.param(uri(png(1_001, 1_000)), "of 1001 x 1000 pixels", id="too many pixels"),
        pytest.param(uri(png(2**32 - 1, 2**32 - 1)), "of 4294967295 x ", id="a bomb"),
        pytest.param(uri(gif(1_001, 1_000), "gif"), "of 1001 x 1000 pixels", id="a large gif"),
        pytest.param(uri(png(tail=bytes(999))), "of 1032 bytes, more than 1000", id="too large"),
        pytest.param(
            f"data:image/png;base64,{PAYLOAD}A", "not in whole base64", id="a letter more"
        ),
        pytest.param(f"data:image/png;base64,{PAYLOAD}====", "not in base64", id="padding more"),
        pytest.param(
            f"data:image/png;base64,{PAYLOAD[:20]}=={PAYLOAD[22:]}", "not in base64", id="=="
        ),
        pytest.param(f"data:image/png;base64,\n\n\n\n{PAYLOAD}", "not in base64", id="line ends"),
        pytest.param(f"data:image/png;base64,    {PAYLOAD}", "not in base64", id="blanks"),
        pytest.param(f"data:image/png;base64,%2B%3D{PAYLOAD[6:]}", "not in base64", id="percent"),
        pytest.param(f"data:image/png;base64,-_-_{PAYLOAD}", "not in base64", id="of URLs"),
        pytest.param(
            f"data:image/png;base64,éé\ud800\ud800{PAYLOAD}", "not in base64", id="accents"
        ),
    ],
)
def test_it_is_refused(written, said):
    with pytest.raises(PictureRefused, match=f"^{said}") as refused:
        decode(written, LIMITS)

    assert PAYLOAD[:16] not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "kind", "read"),
    [
        pytest.param(png(), "png", "png", id="png"),
        pytest.param(jpeg(), "jpeg", "jpeg", id="jpeg"),
        pytest.param(jpeg(), "jpg", "jpeg", id="jpg is jpeg"),
        pytest.param(jpeg(), "JPG", "jpeg", id="capitals"),
        pytest.param(webp(), "webp", "webp", id="webp"),
        pytest.param(gif(), "gif", "gif", id="gif"),
        pytest.param(png(1_000, 1_000), "png", "png", id="all the pixels there may be"),
        pytest.param(png(tail=bytes(967)), "png", "png", id="all the bytes there may be"),
        pytest.param(b"\x89PNG\r\n\x1a\n?", "png", "png", id="its size is the preprocessor's"),
    ],
)
def test_it_is_read(data, kind, read):
    assert decode(uri(data, kind), LIMITS) == Image(data, read)


def test_the_scheme_may_be_written_in_capitals():
    assert decode(uri(png()).replace("data:image/png;base64", "DATA:Image/PNG;BASE64"), LIMITS)


def test_what_is_too_large_is_not_decoded():
    written = uri(png(tail=bytes(3_000_000)))

    tracemalloc.start()
    with pytest.raises(PictureRefused, match="of 3000033 bytes"):
        decode(written, LIMITS)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 100_000


@pytest.mark.parametrize("size", [3 * PIECE // 4 - 33, 3 * PIECE // 4 - 32, PIECE, 2 * PIECE])
def test_a_long_one_is_decoded_in_pieces(size):
    data = png(tail=bytes(range(256)) * (size // 256) + bytes(size % 256))

    assert decode(uri(data), Limits(1_000_000, 1)).data == data


def test_padding_belongs_to_the_end_alone():
    written = uri(png(tail=bytes(2 * PIECE)))
    at = len("data:image/png;base64,") + PIECE

    with pytest.raises(PictureRefused, match="not in base64: its padding"):
        decode(f"{written[: at - 1]}={written[at:]}", Limits(1_000_000, 1))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"<html>", "of no format", id="a page"),
        pytest.param(png(tail=bytes(999)), "of 1032 bytes", id="too large"),
        pytest.param(png(1_001, 1_000), "of 1001 x 1000", id="too many pixels"),
    ],
)
def test_bytes_alone_are_refused(data, said):
    with pytest.raises(PictureRefused, match=said):
        check(data, LIMITS)


@given(st.binary(max_size=200), st.sampled_from(["png", "jpg", "webp", "gif"]))
def test_any_bytes_are_read_or_refused(data, kind):
    try:
        assert decode(uri(data, kind), LIMITS).data == data
    except PictureRefused:
        pass


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    for written in (text, f"data:image/png;base64,{text}"):
        try:
            decode(written, LIMITS)
        except PictureRefused:
            pass
