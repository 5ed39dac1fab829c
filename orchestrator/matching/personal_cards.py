"""Card numbers, set in groups as they are printed, one digit at a time, or, behind a word such as
"card", in any other way.

Between two digits stands a blank, "-", "." or a line end; a number has one line end at most, as
where a text was wrapped, because a column of numbers has more. "." does not mix with other marks:
`4111.1111 1111.1111` are two decimals. A list of numbers of two digits is no card.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from orchestrator.matching.personal_called import Called
from orchestrator.matching.personal_checks import is_card
from orchestrator.matching.personal_text import (
    compiled,
    digits_of,
    touches,
    touches_before,
    touches_behind,
)

Piece = tuple[int, int, float]

# A blank before "-" alone is the sign of a negative number.
GAP: Final = rb"(?:[ \t]{0,2}[.-]?[ \t]{0,2}\r?\n[ \t>]{0,8}|[ \t]{1,3}|[.-]| - )"
FOURS: Final = rb"\d{4}" + GAP + rb"\d{4}" + GAP + rb"\d{4}" + GAP
PRINTED: Final = (
    rb"(" + FOURS + rb"\d{4})(?:" + GAP + rb"\d{3})?"
    rb"|\d{4}" + GAP + rb"\d{6}" + GAP + rb"\d{4,5}|" + FOURS + rb"\d{2,3}|\d{14,19}"
)  # fmt: skip
ONE_BY_ONE: Final = rb"\d(?:" + GAP + rb"\d){13,}"
ANYHOW: Final = rb"\d(?:[ \t]{0,2}[./_|-]?[ \t]{0,2}(?:\r?\n[ \t>]{0,8})?\d){13,18}"
WORD: Final = (
    rb"cards?|\bvisa|\bmaster ?card|\bamex|\bamerican express|\bdiscover|\bdiners|\bmaestro|\bjcb|"
    rb"\bunionpay|\bcc|\bpan\b|karten?|\btarjetas?|\bcartes?|\bcarta|\bcart.es|\bcart.o"
)
SCRIPTS: Final = ("卡号", "卡號", "用卡", "карт", "Карт", "カード", "카드", "بطاقة", "कार्ड")
# A group of so many digits next to a number that a line end divides makes both a table.
BEFORE: Final = rb"\d{4}" + GAP + rb"$"
AFTER: Final = rb"^" + GAP + rb"\d{4}"
EXPIRY: Final = rb"^[ -]?(?:0?[1-9]|1[0-2])/\d\d"
NEXT_WORD: Final = rb"^(?:exp|cvv|cvc|valid)"
LETTERS: Final = rb"(?:^|[^0-9A-Z_\x80])[A-Z]{1,12}$"


class Cards:
    """Finds pieces of projected text, each a start, a stop and a score, in no order."""

    def __init__(self) -> None:
        self._printed = compiled(PRINTED)
        self._one_by_one = compiled(ONE_BY_ONE)
        self._called = Called(WORD, ANYHOW, SCRIPTS)
        self._before = compiled(BEFORE)
        self._after = compiled(AFTER)
        self._expiry = compiled(EXPIRY)
        self._next_word = compiled(NEXT_WORD)
        self._letters = compiled(LETTERS)
        self._group = compiled(rb"\d+")

    def find(self, text: str, data: bytes) -> Iterator[Piece]:
        yield from self._in_groups(data)
        for match in self._one_by_one.finditer(data):
            yield from self._apart(data, *match.span())
        for start, stop in self._called.find(text, data):
            yield from _announced(data, start, stop)

    def _in_groups(self, data: bytes) -> Iterator[Piece]:
        at = 0
        while match := self._printed.search(data, at):
            start, stop = match.span()
            group = self._group.search(data, start)
            at = group.end() if group else len(data)
            # The three digits at the end of a card of 19 may be its code, or begin something else.
            first = match.end(1)
            for end in (stop, first) if 0 < first < stop else (stop,):
                piece = data[start:end]
                if not (is_card(digits_of(piece)) and _is_even(piece)):
                    continue
                coded = end < stop and not touches_behind(data, stop)
                if self._begins(data, start, piece) and (coded or self._ends(data, end, piece)):
                    yield start, end, _score(piece)
                    at = end
                    break

    def _begins(self, data: bytes, start: int, piece: bytes) -> bool:
        """No rest of something longer, and no row of a table."""
        if b"\n" in piece and self._before.search(data[max(0, start - 24) : start]):
            return False
        # Letters may touch groups with blanks between them: hexadecimal digits are set otherwise.
        return not touches_before(data, start) or (
            b" " in piece and self._letters.search(data[max(0, start - 16) : start]) is not None
        )

    def _ends(self, data: bytes, stop: int, piece: bytes) -> bool:
        behind = data[stop : stop + 24]
        if b"\n" in piece and self._after.search(behind):
            return False
        if not touches_behind(data, stop) or (b" " in piece and behind[:1].isalpha()):
            return True
        return self._expiry.search(behind) is not None or self._next_word.search(behind) is not None

    def _apart(self, data: bytes, start: int, stop: int) -> Iterator[Piece]:
        """Of a run of single digits that begins and ends with whole numbers."""
        if data[start - 1 : start].isdigit():
            start += 1 + _blank(data[start + 1 : stop])
        if data[stop : stop + 1].isdigit():
            stop -= 1 + _blank(data[start : stop - 1][::-1])
        piece = data[start:stop]
        if _is_even(piece) and is_card(digits_of(piece)) and not touches(data, start, stop):
            yield start, stop, 0.9


def _announced(data: bytes, start: int, stop: int) -> Iterator[Piece]:
    """The longest card that ends with a group."""
    for end in range(stop, start, -1):
        if not data[end - 1 : end].isdigit() or data[end : end + 1].isdigit():
            continue
        piece = data[start:end]
        if is_card(digits_of(piece)) and piece.count(b"\n") < 2:
            yield start, end, 0.92
            return


def _is_even(piece: bytes) -> bool:
    """One line end at most, and "." in every gap or in none."""
    if piece.count(b"\n") > 1:
        return False
    dots = piece.count(b".")
    return dots == 0 or piece.replace(b".", b"").isdigit()


def _score(piece: bytes) -> float:
    if b"\n" in piece:
        return 0.9
    return 0.95 if piece.isdigit() else 0.99


def _blank(data: bytes) -> int:
    """How many characters stand before the first digit."""
    return next((at for at, byte in enumerate(data) if 48 <= byte <= 57), len(data))
