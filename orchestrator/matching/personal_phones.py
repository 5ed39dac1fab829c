"""Phone numbers: shapes that say enough, and looser ones beside a word such as "call"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import phonenumbers

from orchestrator.matching.personal_called import written
from orchestrator.matching.personal_phone_words import (
    NOUN,
    OTHERWISE,
    SCRIPTS,
    SCRIPTS_OTHERWISE,
    VERB,
)
from orchestrator.matching.personal_text import UNSPACED, compiled, continues, is_continued

Piece = tuple[int, int, float]

EXTENSION: Final = rb"(?: ?(?:ext\.?|x) ?\d{1,6})?"
MARK: Final = rb"(?:[ .-]{0,2}| ?/ ?)"
# A country code behind "+" or "00"; then at most one "(0)" or area in brackets.
ABROAD: Final = (
    rb"(?:\+|\(\+|00[ .-]?)[1-9]\d{0,3}\)?" + MARK + rb"(?:\(\d{1,4}\)" + MARK + rb")?\d"
    rb"(?:" + MARK + rb"\d){4,13}" + EXTENSION
)  # fmt: skip
AMERICAN: Final = (
    rb"(?:\+?1[ .-]?)?(?:\(\d{3}\)[ .-]?\d{3}[ .-]?\d{4}|\d{3}[ .-]\d{3}[ .-]\d{4})" + EXTENSION
)
RUSSIAN: Final = rb"[78](?: ?\(\d{3}\) ?|-\d{3}-)\d{3}[ -]\d\d[ -]\d\d"
BRAZILIAN: Final = rb"\(\d\d\) ?9?\d{4}-\d{4}"
CHINESE: Final = rb"1[3-9]\d[ -]\d{4}[ -]\d{4}"
TRUNK: Final = rb"\(?0\d{1,5}\)?(?:[ ./-]\d{2,8}){1,5}"  # national, with the leading 0
LOOSE: Final = rb"\(?\+?\d{1,5}\)?(?:[ ./-]?\(?\d\)?){5,13}"
REGIONS: Final = (
    "GB", "FR", "DE", "JP", "AU", "KR", "CN", "NL", "SE", "CH", "IT", "AT", "BE", "SA", "EG", "AE",
    "NG", "TR", "ZA", "IN", "ID", "PK",
)  # fmt: skip
NO_TRUNK: Final = ("US", "ES", "IN", "CN", "BR", "MX", "PL", "IT", "NO", "DK", "PT", "SG", "RU")
LOCAL: Final = rb"^\d{3}[-.]\d{4}$"
DECIMAL: Final = rb"^\+\d{4,}\.\d+$"  # but "+1.4155552671" is how registrars write a number
ZIP: Final = rb"^\d{5}-\d{4}$"
GAP: Final = 26  # characters between the word and the number
BEHIND: Final = 14  # the same when the word follows: "..., that is my cell"
# Written by itself in Chinese. In another text, eleven digits are anything.
BARE_CHINESE: Final = rb"(?:86-?)?1[3-9]\d{9}"
NEAR: Final = 4  # characters on either side, of which one is Chinese
WIDTH: Final = 34  # characters of a number, at most
DATE: Final = (
    rb"^(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|(?:19|20)\d\d[ ./-]?[01]\d[ ./-]?[0-3]\d(?:\D|$))"
)
# Each costs some 20 µs. What is left over is judged by its shape alone.
MOST_PARSED: Final = 4000
MOST_WORDS: Final = 10_000


class Phones:
    """Finds pieces of projected text, each a start, a stop and a score."""

    def __init__(self) -> None:
        self._strong = compiled(
            b"|".join((ABROAD, AMERICAN, RUSSIAN, BRAZILIAN, CHINESE, TRUNK)),
        )
        self._american = compiled(rb"^(?:" + AMERICAN + rb")$")
        self._trunk = compiled(rb"^\(?0")
        self._loose = compiled(LOOSE)
        self._noun = compiled(NOUN)
        self._word = compiled(NOUN + rb"|" + VERB)
        self._otherwise = compiled(OTHERWISE)
        self._date = compiled(DATE)
        self._local = compiled(LOCAL)
        self._zip = compiled(ZIP)
        self._decimal = compiled(DECIMAL)
        self._digits = compiled(rb"\d+")
        self._chinese = compiled(BARE_CHINESE)

    def find(self, text: str, data: bytes) -> Iterator[Piece]:
        """In no order; pieces may overlap, the first of two counts."""
        checks = _Checks()
        yield from self._shaped(data, checks)
        for start, stop, is_noun in self._announced(text, data):
            yield from self._near(data, start, stop, checks, is_noun=is_noun)
        if not text.isascii():
            yield from self._in_chinese(text, data, checks)

    def valid(self, text: str, data: bytes) -> bool | None:
        """False: no phone number has these digits. True: a country gives out such a number."""
        digits = sum(48 <= byte <= 57 for byte in data)
        if not 5 <= digits <= 21 or self._date.search(data):
            return False
        checks = _Checks()
        sure = checks.is_valid(str(data, "latin-1"), ("US", *REGIONS, *NO_TRUNK))
        return True if sure else None

    def _shaped(self, data: bytes, checks: _Checks) -> Iterator[Piece]:
        at = last = 0
        while match := self._strong.search(data, at):
            start, stop = match.span()
            # A group of digits before it makes it the rest of a longer number, a phone does not.
            tail = start - 1 > last and data[start - 2 : start - 1].isdigit()
            rest = tail and data[start - 1] in b" -" and b"+" not in data[start : start + 2]
            piece = None if rest else self._judge(data, start, stop, checks)
            if piece:
                yield piece
                at = last = piece[1]
            else:  # the next group may begin another number
                group = self._digits.search(data, start)
                at = group.end() if group else stop

    def _judge(self, data: bytes, start: int, stop: int, checks: _Checks) -> Piece | None:
        start, stop = _unwrapped(data, start, stop)
        if not _begins(data, start) or self._decimal.search(data[start:stop]):
            return None
        piece = data[start:stop]
        if piece.startswith((b"+", b"(+")):
            return _abroad(data, start, stop, checks)
        if not _ends(data, stop) or self._date.search(piece) or self._zip.search(piece):
            return None
        number = str(piece, "latin-1")
        if piece.startswith(b"00"):
            return _abroad(data, start, stop, checks)
        if self._trunk.search(piece):
            return _national(data, start, stop, checks)
        if self._american.search(piece):
            return self._nanp(start, stop, number, checks)
        return start, stop, 0.9

    def _nanp(self, start: int, stop: int, number: str, checks: _Checks) -> Piece | None:
        """With "-", "." or brackets any area from 2 on will do: made-up numbers count as well."""
        digits = [c for c in number if c.isdigit()]
        area = digits[1] if digits[0] == "1" else digits[0]
        if area in "01":
            return None
        if checks.is_valid(number, ("US",)):
            return start, stop, 0.95
        return (start, stop, 0.9) if any(c in number for c in "(-.") else None

    def _announced(self, text: str, data: bytes) -> Iterator[tuple[int, int, bool]]:
        """Where the words stand, and whether they name a phone."""
        for count, match in enumerate(self._word.finditer(data)):
            if count == MOST_WORDS:
                return
            start, stop = match.span()
            if not self._otherwise.search(data[max(0, start - BEHIND) : start]):
                yield start, stop, self._noun.search(data[start:stop]) is not None
        for start, stop in written(text, SCRIPTS):
            if not _is_otherwise(text[max(0, start - BEHIND) : stop]):
                yield start, stop, True

    def _in_chinese(self, text: str, data: bytes, checks: _Checks) -> Iterator[Piece]:
        for match in self._chinese.finditer(data):
            start, stop = match.span()
            if not (_begins(data, start) and _ends(data, stop)):
                continue
            beside = data[max(0, start - NEAR) : start] + data[stop : stop + NEAR]
            if UNSPACED not in beside or _is_otherwise(text[max(0, start - BEHIND) : start]):
                continue
            if checks.is_valid(str(data[stop - 11 : stop], "latin-1"), ("CN",)):
                yield start, stop, 0.9

    def _near(
        self, data: bytes, start: int, stop: int, checks: _Checks, *, is_noun: bool
    ) -> Iterator[Piece]:
        """The first number behind the word, or else one just before it."""
        match = self._loose.search(data[stop : stop + GAP + WIDTH])
        if match and match.start() <= GAP:
            first, last = stop + match.start(), stop + match.end()
            yield from self._loosely(data, first, last, data[stop:first], checks, is_noun=is_noun)
        elif is_noun:
            offset = max(0, start - BEHIND - WIDTH)
            for match in self._loose.finditer(data[offset:start]):
                first, last = offset + match.start(), offset + match.end()
                if start - last <= BEHIND:
                    gap = data[last:start]
                    yield from self._loosely(data, first, last, gap, checks, is_noun=is_noun)

    def _loosely(
        self, data: bytes, start: int, stop: int, gap: bytes, checks: _Checks, *, is_noun: bool
    ) -> Iterator[Piece]:
        start, stop = _unwrapped(data, start, stop)
        piece = data[start:stop]
        if not (_begins(data, start) and _ends(data, stop)) or self._date.search(piece):
            return
        if b"\n\n" in gap or self._otherwise.search(gap.lstrip(b" #") if is_noun else gap):
            return
        digits = sum(48 <= byte <= 57 for byte in piece)
        named = is_noun and (9 <= digits <= 13 or self._local.search(piece) is not None)
        number = str(piece, "latin-1")
        # Eight digits are a number in some countries, and much else behind "text".
        if named or (digits > 8 - is_noun and checks.is_valid(number, REGIONS + NO_TRUNK)):
            yield start, stop, 0.92


class _Checks:
    """The library, asked no more than `MOST_PARSED` times for one text."""

    def __init__(self) -> None:
        self._left = MOST_PARSED

    def is_valid(self, number: str, regions: tuple[str, ...]) -> bool:
        """Some country gives out such a number. Yes to everything when asked too often."""
        for region in regions:
            if self._left == 0:
                return True
            self._left -= 1
            parsed = _parse(number, region)
            if parsed and phonenumbers.is_valid_number(parsed):
                return True
        return False

    def is_possible(self, number: str) -> bool:
        parsed = _parse(number, None)
        return parsed is not None and phonenumbers.is_possible_number(parsed)


def _parse(number: str, region: str | None) -> phonenumbers.PhoneNumber | None:
    try:
        return phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None


def _abroad(data: bytes, start: int, stop: int, checks: _Checks) -> Piece | None:
    """The longest run of groups that is a number of some country; else the longest possible one,
    which "00" is not enough for."""
    possible: Piece | None = None
    zeros = data[start : start + 2] == b"00"
    end = stop
    while end - start > 7:
        if _ends(data, end):
            number = str(data[start:end], "latin-1")
            number = f"+{number[2:]}" if zeros else number
            if checks.is_valid(number, ("ZZ",)):
                return start, end, 0.98
            if possible is None and not zeros and checks.is_possible(number):
                possible = (start, end, 0.9)
        end = max(data.rfind(mark, start, end) for mark in (b" ", b"-", b".", b"/"))
    return possible


def _is_otherwise(before: str) -> bool:
    return any(word in before for word in SCRIPTS_OTHERWISE)


def _national(data: bytes, start: int, stop: int, checks: _Checks) -> Piece | None:
    """The longest run of groups that some country with a leading 0 gives out. Groups that are left
    over must begin another such number."""
    end = stop
    while end > start:
        number = str(data[start:end], "latin-1")
        digits = sum(c.isdigit() for c in number)
        if digits < 10:  # nine are a number in some countries, and much else
            return None
        fits = digits <= 12 and _ends(data, end) and (end == stop or data[end + 1] == 48)
        if fits and checks.is_valid(number, REGIONS):
            return start, end, 0.9
        end = max(data.rfind(mark, start, end) for mark in (b" ", b"-", b".", b"/"))
    return None


def _unwrapped(data: bytes, start: int, stop: int) -> tuple[int, int]:
    """Without the brackets around all of it, or one that is not closed."""
    piece = data[start:stop]
    if piece[:1] == b"(" and b")" not in piece[:-1]:
        return start + 1, stop - (piece[-1:] == b")")
    return start, stop


def _begins(data: bytes, start: int) -> bool:
    if continues(data, start) or (start and data[start - 1] in b".-/#$%@&+"):
        return False
    return data[max(0, start - 2) : start] not in (b"# ", b"$ ")


def _ends(data: bytes, stop: int) -> bool:
    after = data[stop : stop + 2]
    if not after:
        return True
    if is_continued(data, stop) or after[0] in b"%$@":
        return False
    return not (after[0] in b".-/,:" and after[1:].isdigit())
