"""E-mail addresses, addresses of machines and host names."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

import re2

from orchestrator.matching.personal_text import WORD, compiled

Piece = tuple[int, int, float]

LABEL: Final = rb"[A-Z0-9](?:[A-Z0-9-]{0,61}[A-Z0-9])?"
HOST: Final = rb"(?:" + LABEL + rb"\.){1,8}(?:xn--[A-Z0-9-]{2,58}|[A-Z]{2,24})"
LOCAL: Final = rb"[A-Z0-9_%+\x80](?:[A-Z0-9._%+'\x80-]{0,62}[A-Z0-9_%+\x80-])?"
V4: Final = rb"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"
V6: Final = rb"[0-9A-F]{0,4}(?::[0-9A-F]{0,4}){2,7}(?:" + V4 + rb")?"
SCHEME: Final = 128  # characters in which the scheme of a URL with a password must stand
VERSION: Final = (
    rb"(?:\b(?:v|ver|version|release|build|firmware|rev|sections?|chapter)\.?:? ?|[A-Z]/)$"
)
# `icon@2x.png`: a picture for screens of twice the density, no mailbox.
DENSITY: Final = rb"@[1-9](?:\.5)?x\.(?:png|jpe?g|gif|webp|svg)$"
# They name no machine. valid() refuses them too.
NO_HOST: Final = (ipaddress.ip_network("0.0.0.0/8"), ipaddress.ip_network("127.0.0.0/8"))


class Network:
    """Finds pieces of projected text, each a start, a stop and a score."""

    def __init__(self) -> None:
        self._email = compiled(LOCAL + b"@" + HOST)
        self._v4 = compiled(V4)
        self._v6 = compiled(V6)
        self._host = compiled(
            rb"(?:(?:https?|wss?|ftp)://(?:[^\s/@]{1,64}@)?|\b(www\.))(" + HOST + rb")"
        )
        self._whole_email = compiled(rb"^(?:" + LOCAL + b"@" + HOST + rb")$")
        self._whole_host = compiled(rb"^(?:" + HOST + rb")$")
        self._version = compiled(VERSION)
        self._density = compiled(DENSITY)

    def emails(self, data: bytes) -> Iterator[Piece]:
        for match in self._email.finditer(data):
            start, stop = match.span()
            if not _is_free(data, start, stop) or _is_login(data, start):
                continue
            if data[start : start + 4].lower() == b"git@":  # a repository, not a person
                continue
            if self._density.search(match.group()) is None:
                yield start, stop, 0.99

    def hosts(self, data: bytes) -> Iterator[Piece]:
        """Only behind a scheme or "www.": a bare `main.py` or `obj.name` has the same shape."""
        for match in self._host.finditer(data):
            start = match.start(1) if match.start(1) >= 0 else match.start(2)
            stop = match.end(2)
            if stop == len(data) or data[stop] not in WORD:
                yield start, stop, 0.95

    def addresses(self, data: bytes) -> Iterator[Piece]:
        for match in self._v4.finditer(data):
            start, stop = match.span()
            if self._is_alone(data, start, stop) and is_address(_text(match)):
                yield start, stop, 0.98
        for match in self._v6.finditer(data):
            start, stop = match.span()
            free = _is_free(data, start, stop) and data[stop : stop + 1] != b":"
            if free and data[start - 1 : start] != b":" and is_address(_text(match)):
                yield start, stop, 0.98

    def is_email(self, data: bytes) -> bool:
        whole = self._whole_email.search(data)
        return whole is not None and self._density.search(data) is None

    def is_host(self, data: bytes) -> bool:
        return self._whole_host.search(data) is not None

    def _is_alone(self, data: bytes, start: int, stop: int) -> bool:
        """Not a part of a longer version, nor called one."""
        before, after = data[start - 1 : start], data[stop : stop + 2]
        if not _is_free(data, start, stop) or before in (b".", b"-"):
            return False
        if after[:1] == b"." and after[1:].isalnum():
            return False
        return self._version.search(data[max(0, start - 12) : start]) is None


def is_address(text: str) -> bool:
    """IPv4 or IPv6 of a machine. `a::b` is C++ more often than an address, so a short form must
    begin with a group of three or four characters."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in NO_HOST) and text[:4] != "255."
    short = len(text.split(":")[0]) < 3 or not any(c.isdigit() for c in text)
    return not (address.is_loopback or address.is_unspecified or (short and "::" in text))


def _is_free(data: bytes, start: int, stop: int) -> bool:
    before = data[start - 1] if start else 32
    return before not in WORD and (stop == len(data) or data[stop] not in WORD)


def _is_login(data: bytes, start: int) -> bool:
    """`scheme://user:password@host`: what stands before "@" is a password."""
    token = data[max(0, start - SCHEME) : start].split()[-1:] if data[start - 1 : start] in (
        b":",
        b"/",
    ) else []  # fmt: skip
    return bool(token) and b"://" in token[0]


def _text(match: re2._Match) -> str:
    return str(match.group(), "latin-1")
