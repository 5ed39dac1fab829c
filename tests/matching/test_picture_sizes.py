import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from orchestrator.matching.picture_sizes import kind_of, size_of
from tests.matching.encoded import gif, jpeg, png, webp

STARTS = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBP"]
KINDS = [b"VP8X", b"VP8L", b"VP8 ", b"????"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", id="svg"),
        pytest.param(b"BM" + bytes(60), id="bmp"),
        pytest.param(b"RIFF\0\0\0\0WAVE" + bytes(30), id="sound"),
        pytest.param(b"\x89PNG", id="half a signature"),
    ],
)
def test_other_files_are_of_no_kind(data):
    assert (kind_of(data), size_of(data)) == (None, None)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(png()[:20], id="png cut short"),
        pytest.param(png()[:8] + b"\0\0\0\x04IDAT" + bytes(20), id="png without IHDR"),
        pytest.param(gif()[:8], id="gif cut short"),
        pytest.param(webp()[:29], id="webp cut short"),
        pytest.param(webp()[:12] + b"ALPH" + webp()[16:], id="webp of another chunk"),
        pytest.param(jpeg()[:-6], id="jpeg cut in its frame"),
        pytest.param(jpeg(before=b"junk"), id="jpeg with something between segments"),
        pytest.param(b"\xff\xd8" + b"\xff" * 1_000_000, id="jpeg of nothing but fill"),
        pytest.param(b"\xff\xd8" * 1_000_000, id="jpeg of nothing but starts"),
        pytest.param(b"\xff\xd8" + b"\xff\xe1\0\0" * 100_000, id="jpeg of empty segments"),
    ],
)
def test_what_does_not_say_its_size(data):
    assert size_of(data) is None


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(png(640, 480), "png", id="png"),
        pytest.param(gif(640, 480), "gif", id="gif"),
        pytest.param(jpeg(640, 480), "jpeg", id="jpeg"),
        pytest.param(jpeg(640, 480, b"\xff\xff\xff\xfe\0\x05abc"), "jpeg", id="jpeg with fill"),
        *(pytest.param(webp(kind, 640, 480), "webp", id=kind.decode()) for kind in KINDS[:3]),
    ],
)
def test_kind_and_size(data, kind):
    assert (kind_of(data), size_of(data)) == (kind, (640, 480))


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"lossless": True}], ids=str)
@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "gif"])
def test_as_an_encoder_writes_it(kind, options):
    written = io.BytesIO()
    Image.new("RGB", (37, 21)).save(written, kind, **options)

    assert (kind_of(written.getvalue()), size_of(written.getvalue())) == (kind, (37, 21))


@given(st.sampled_from(STARTS), st.sampled_from([b"", *KINDS]), st.binary(max_size=80))
def test_no_bytes_are_too_odd(start, kind, rest):
    size = size_of(start + kind + rest)

    assert size is None or all(side >= 0 for side in size)
