"""Small pictures as files, written by hand: enough of each to say what it is and how large."""

import base64
import struct
import zlib


def png(width=1, height=1, tail=b""):
    """`tail` makes files of the same size different."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + _crc(header) + tail


def _crc(chunk):
    return struct.pack(">I", zlib.crc32(chunk))


def gif(width=1, height=1):
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0"


def jpeg(width=1, height=1, before=b""):
    frame = struct.pack(">HBHHB", 8, 8, height, width, 0)
    return b"\xff\xd8\xff\xe0\x00\x04ab" + before + b"\xff\xc0" + frame


def webp(kind=b"VP8X", width=1, height=1):
    body = {
        b"VP8X": b"\0" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"),
        b"VP8L": b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + b"\0" * 5,
        b"VP8 ": b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height),
    }[kind]
    return b"RIFF" + struct.pack("<I", 22) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


def uri(data, kind="png"):
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
