"""Bodies that come compressed: which encodings are taken, and what they unpack to.

Read here and not by the HTTP library, which answers to some encodings in words that no client of
this API can read, and takes others only where a further package is installed.
"""

from __future__ import annotations

import zlib
from typing import Final

from orchestrator.errors import BodyTooLarge, RequestError

IDENTITY: Final = "identity"
GZIP: Final = 16 + zlib.MAX_WBITS
ACCEPTED: Final = (IDENTITY, "gzip", "deflate")
NAMED = 40  # characters of a name that a client wrote
METHOD, DEFLATE = 0x0F, 8  # of the first byte of what has a head (RFC 1950)


class UnsupportedType(RequestError):
    status = 415
    code = "unsupported_media_type"


class UnsupportedEncoding(RequestError):
    status = 415
    code = "unsupported_content_encoding"


def encoding_of(header: str) -> str:
    """One of ACCEPTED. Raises UnsupportedEncoding."""
    name = header.strip().lower() or IDENTITY
    name = "gzip" if name == "x-gzip" else name
    if name not in ACCEPTED:
        known = ", ".join(ACCEPTED)
        said = f"content encoding {name[:NAMED]!r} is not supported; accepted: {known}"
        raise UnsupportedEncoding(said)
    return name


def unpacked(raw: bytes, encoding: str, limit: int) -> bytes:
    """At most `limit` bytes (0: any number). Raises BodyTooLarge, and RequestError for what is not
    encoded as it says."""
    if encoding == IDENTITY:
        return raw
    # Many clients leave out the head of deflate.
    bare = encoding == "deflate" and raw[:1] and raw[0] & METHOD != DEFLATE
    bits = GZIP if encoding == "gzip" else -zlib.MAX_WBITS if bare else zlib.MAX_WBITS
    stream = zlib.decompressobj(bits)
    try:
        data = stream.decompress(raw, limit + 1 if limit else 0)
    except zlib.error:
        raise _broken(encoding) from None
    if limit and len(data) > limit:
        raise BodyTooLarge(f"the body is larger than {limit} bytes")
    if not stream.eof or stream.unused_data:
        raise _broken(encoding)
    return data


def _broken(encoding: str) -> RequestError:
    return RequestError(f"the body cannot be read: it is not whole {encoding}")
