"""E-mail addresses, addresses of machines and host names."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

import re2

from orchestrator.matching.personal_text import UNDERSCORES, WORD, compiled, continues, is_continued

Piece = tuple[int, int, float]

# Letters of a host, or of a mailbox, that is not ASCII: see personal_text.
LETTERS: Final = rb"\x80\x82\x83"
LABEL: Final = rb"[A-Z0-9](?:[A-Z0-9-]{0,61}[A-Z0-9])?"
WIDE_LABEL: Final = (
    rb"[A-Z0-9" + LETTERS + rb"](?:[A-Z0-9" + LETTERS + rb"-]{0,61}[A-Z0-9" + LETTERS + rb"])?"
)
TOP: Final = rb"xn--[A-Z0-9-]{2,58}|[A-Z]{2,24}"
WIDE_HOST: Final = (
    rb"(?:" + WIDE_LABEL + rb"\.){1,8}(?:xn--[A-Z0-9-]{2,58}|[A-Z\x80]{2,24}|[\x80\x82]{2,24})"
)
# In ASCII where it can be: a sentence in another script may follow without a blank. None ends in a
# script without blanks: nobody can tell where.
HOST: Final = rb"(?:(?:" + LABEL + rb"\.){1,8}(?:" + TOP + rb")|" + WIDE_HOST + rb")"
LOCAL: Final = (
    rb"(?:[A-Z0-9_%+\x80](?:[A-Z0-9._%+'\x80-]{0,62}[A-Z0-9_%+\x80-])?"
    rb"|[\x82_](?:[0-9._%+\x80\x82-]{0,62}[0-9_\x80\x82])?)"
)
V4: Final = rb"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"
V6: Final = rb"(?:[0-9A-F]{0,4}:){2,6}" + V4 + rb"|[0-9A-F]{0,4}(?::[0-9A-F]{0,4}){2,7}"
MOST_ADDRESS: Final = 320  # characters of an e-mail address
SCHEME: Final = 128  # characters in which the scheme of a URL with a password must stand
# What makes four numbers a version, right before them. "to" or "from" is no such word, nor is the
# name of a program that also has an address.
VERSION: Final = (
    rb"(?:\b(?:v|ver|versions?|releases?|builds?|firmware|rev|revision|patch|hotfix|chrome|"
    rb"chromium|sections?|chapters?)"
    rb"(?: (?:is|was|number|no\.?))?[\"']? ?[.:=]{0,2}[ \t]{0,2}[\"']?|[A-Z]/)$"
)
REACH: Final = 32  # characters in which such a word stands
NEXT_VERSION: Final = rb"^(?:, ?|,? (?:and|or|to|through|vs\.?) |/| ?- ?| ?\x81 ?)v?$"
# What makes `2::1` an address; C++ has `a::b` more often, and Python `a[::2]`.
CALLED: Final = (
    rb"(?:\b(?:ip|ipv6|ping6?|address|addr|hosts?|gateway|dns|inet6?|via)[ :=]{1,3}|//\[)$"
)
# `icon@2x.png`: a picture for screens of twice the density, no mailbox.
DENSITY: Final = rb"@[1-9](?:\.5)?x\.(?:png|jpe?g|gif|webp|svg)$"
# They name no machine. valid() refuses them too.
NO_HOST: Final = (ipaddress.ip_network("0.0.0.0/8"), ipaddress.ip_network("127.0.0.0/8"))

# A word before ":" that is no group of an address, nor the head of a C++ name.
NAMED: Final = rb"(?:^|[^0-9A-Z_\x80:])[0-9A-Z_]*[G-Z_][0-9A-Z_]*:$"


class Network:
    """Finds pieces of projected text, each a start, a stop and a score."""

    def __init__(self) -> None:
        self._email = compiled(LOCAL + b"@" + HOST)
        self._wide_email = compiled(rb"^" + LOCAL + b"@(?:" + WIDE_HOST + b")")
        self._v4 = compiled(V4)
        self._v6 = compiled(V6)
        self._host = compiled(
            rb"(?:(?:https?|wss?|ftp)://(?:[^\s/@]{1,64}@)?|\b(www\.))(" + HOST + rb")"
        )
        self._whole_email = compiled(rb"^(?:" + LOCAL + b"@" + HOST + rb")$")
        self._whole_host = compiled(rb"^(?:" + HOST + rb")$")
        self._version = compiled(VERSION)
        self._next_version = compiled(NEXT_VERSION)
        self._called = compiled(CALLED)
        self._named = compiled(NAMED)
        self._v4_ends = compiled(rb"(?:^|[^0-9.])" + V4 + rb" ?-$")
        self._density = compiled(DENSITY)

    def emails(self, data: bytes) -> Iterator[Piece]:
        for match in self._email.finditer(data):
            start, stop = match.span()
            if is_continued(data, stop):  # `b.es` of `b.españa.es`
                wide = self._wide_email.search(data[start : start + MOST_ADDRESS])
                stop = start + wide.end() if wide else stop
            if continues(data, start) or is_continued(data, stop) or _is_login(data, start):
                continue
            if data[start : start + 4].lower() == b"git@":  # a repository, not a person
                continue
            if self._density.search(match.group()) is None:
                yield start + _emphasis(data, start, stop), stop, 0.99

    def hosts(self, data: bytes) -> Iterator[Piece]:
        """Only behind a scheme or "www.": a bare `main.py` or `obj.name` has the same shape."""
        for match in self._host.finditer(data):
            start = match.start(1) if match.start(1) >= 0 else match.start(2)
            stop = match.end(2)
            if stop == len(data) or data[stop] not in WORD:
                yield start, stop, 0.95

    def addresses(self, data: bytes) -> Iterator[Piece]:
        ends = set()  # an address of IPv6 may end with one of IPv4
        for start, stop in self._v6_pieces(data):
            ends.add(stop)
            yield start, stop, 0.98
        version = 0  # where the last one stopped
        for match in self._v4.finditer(data):
            start, stop = match.span()
            if stop in ends or not self._is_alone(data, start, stop):
                continue
            if self._is_version(data, start, version):
                version = stop
            elif is_address(_text(match)):
                yield start, stop, 0.98

    def _v6_pieces(self, data: bytes) -> Iterator[tuple[int, int]]:
        at = 0
        while match := self._v6.search(data, at):
            start, stop = match.span()
            if continues(data, start):  # `v6` of "IPv6:"
                at = data.index(b":", start) + 1
                continue
            at = stop
            if data[stop - 1] == 58 != data[stop - 2]:  # ":" of a sentence
                stop -= 1
            if is_continued(data, stop) or (stop == at and data[stop : stop + 1] == b":"):
                continue
            before = data[max(0, start - 16) : start]
            if before[-1:] == b":" and not self._named.search(before):
                continue
            called = self._called.search(before) is not None
            if is_address(str(data[start:stop], "latin-1"), called=called):
                yield start, stop

    def is_email(self, data: bytes) -> bool:
        whole = self._whole_email.search(data)
        return whole is not None and self._density.search(data) is None

    def is_host(self, data: bytes) -> bool:
        return self._whole_host.search(data) is not None

    def _is_alone(self, data: bytes, start: int, stop: int) -> bool:
        """Not a part of something longer; a range has two addresses."""
        before, after = data[start - 1 : start], data[stop : stop + 2]
        if not _is_free(data, start, stop) or before == b".":
            return False
        if before == b"-" and not self._v4_ends.search(data[max(0, start - 18) : start]):
            return False
        return not (after[:1] == b"." and after[1:].isalnum())

    def _is_version(self, data: bytes, start: int, version: int) -> bool:
        """Called one, or next to one that ends at `version`."""
        between = data[version:start] if 0 < version <= start <= version + 12 else b""
        if self._next_version.search(between):
            return True
        return self._version.search(data[max(0, start - REACH) : start]) is not None


def is_address(text: str, *, called: bool = False) -> bool:
    """IPv4 or IPv6 of a machine. `a::b` is C++ more often than an address, so a short form must
    begin with a group of three or four characters, unless it is `called` an address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and not address.ipv4_mapped:
        short = len(text.split(":")[0]) < 3 or not any(c.isdigit() for c in text)
        doubtful = short and "::" in text and "." not in text and not called
        return not (address.is_loopback or address.is_unspecified or doubtful)
    v4 = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else address
    return not any(v4 in network for network in NO_HOST) and not str(v4).startswith("255.")


def _emphasis(data: bytes, start: int, stop: int) -> int:
    """How many underscores before an address are markdown's: as many as stand behind it, where no
    address has one."""
    count = 0
    while (
        count < UNDERSCORES and data[start + count] == data[min(stop + count, len(data) - 1)] == 95
    ):
        count += 1
    return 0 if data[start + count] == 64 else count  # "@": all of the mailbox


def _is_free(data: bytes, start: int, stop: int) -> bool:
    return not continues(data, start) and not is_continued(data, stop)


def _is_login(data: bytes, start: int) -> bool:
    """`scheme://user:password@host`: what stands before "@" is a password."""
    token = data[max(0, start - SCHEME) : start].split()[-1:] if data[start - 1 : start] in (
        b":",
        b"/",
    ) else []  # fmt: skip
    return bool(token) and b"://" in token[0]


def _text(match: re2._Match) -> str:
    return str(match.group(), "latin-1")
