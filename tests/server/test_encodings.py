import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import BodyTooLarge, RequestError
from orchestrator.server.encodings import UnsupportedEncoding, encoding_of, unpacked

BODY = b'{"a": 1}' * 100


def bare(data):
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


@pytest.mark.parametrize("header", ["zstd", "br", "gzip, gzip", "gzip;q=1", "*", "x" * 5_000])
def test_what_is_not_accepted(header):
    with pytest.raises(UnsupportedEncoding, match="accepted: identity, gzip, deflate") as caught:
        encoding_of(header)

    assert caught.value.status == 415
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    ("header", "encoding"),
    [("", "identity"), (" GZIP ", "gzip"), ("x-gzip", "gzip"), ("Deflate", "deflate")],
)
def test_what_is_accepted(header, encoding):
    assert encoding_of(header) == encoding


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        pytest.param(b"", "gzip", id="nothing"),
        pytest.param(BODY, "gzip", id="not gzip"),
        pytest.param(BODY, "deflate", id="not deflate"),
        pytest.param(gzip.compress(BODY)[:-9], "gzip", id="cut"),
        pytest.param(gzip.compress(BODY) * 2, "gzip", id="something behind it"),
        pytest.param(zlib.compress(BODY), "gzip", id="the other one"),
    ],
)
def test_what_is_not_encoded_as_it_says(raw, encoding):
    with pytest.raises(RequestError, match=f"it is not whole {encoding}"):
        unpacked(raw, encoding, 10_000)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, bare])
@given(st.binary(max_size=3_000))
def test_what_was_packed_is_unpacked(pack, data):
    encoding = "gzip" if pack is gzip.compress else "deflate"

    assert unpacked(pack(data), encoding, 3_000) == unpacked(pack(data), encoding, 0) == data


def test_no_more_is_unpacked_than_a_body_may_have():
    bomb = gzip.compress(bytes(50_000_000))

    with pytest.raises(BodyTooLarge, match="larger than 1000 bytes"):
        unpacked(bomb, "gzip", 1_000)
