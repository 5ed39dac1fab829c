"""Personal data that can be proved by its own form: checksums, ranges, grammars.

What only the sense of a sentence tells (names, places, a bare domain) is a model's work. Every
search is linear in the text (RE2, pieces of bounded length). Positions are indices of the string.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.matching.personal_called import Called
from orchestrator.matching.personal_cards import Cards
from orchestrator.matching.personal_checks import IBAN_LENGTHS, is_card, is_iban, is_ssn
from orchestrator.matching.personal_network import Network, is_address
from orchestrator.matching.personal_phones import Phones
from orchestrator.matching.personal_text import (
    UNSEEN,
    Thin,
    compiled,
    digits_of,
    project,
    spaced,
    touches,
    touches_before,
    touches_behind,
)
from orchestrator.matching.pieces import Cut

Piece = tuple[int, int, float]

# With the country's two letters and the check digits. What follows is walked.
IBAN: Final = rb"[A-Z]{2}[ -]?\d{2}[ \t\r\n.-]{0,3}[A-Z0-9]"
IBAN_WALK: Final = 34 * 3  # characters, with up to two separators after each
SSN: Final = rb"\d{3}-(?:\r?\n)?\d{2}-(?:\r?\n)?\d{4}|\d{3}[ .]\d{2}[ .]\d{4}|\d{9}"
SSN_ANYHOW: Final = rb"\d(?:[ \t./_-]{0,3}\d){8}"
SSN_WORD: Final = rb"\bssns?|\bss#|\bss no\b|social|\bsoc\b|taxpayer|\btin\b"
SSN_REACH: Final = 48  # characters before the number, with no other number between
SSN_BEHIND: Final = rb"^ [a-z ]{0,16}(?:ssn|social)"
HIDDEN: Final = b"\x81"  # what was found, for the kinds that come after
# Something unseen within what may be a number or an address.
HOLED: Final = rb"[0-9A-Z@+(.\x80\x82-]\x84+[0-9A-Z@.()\x80\x82\x83 -]"


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of a text: string indices, `stop` exclusive. `score` is in (0, 1]: 0.95 and more
    prove themselves, 0.9 have a telling shape or neighbour, less is a shape alone."""

    start: int
    stop: int
    label: str
    score: float


class Personal:
    """Finds and checks structured personal data. Compiled once; safe between threads."""

    def __init__(self) -> None:
        network, phones, cards = Network(), Phones(), Cards()
        self._iban = compiled(IBAN)
        self._ssn = compiled(SSN)
        self._ssn_word = compiled(SSN_WORD)
        self._ssn_called = Called(SSN_WORD, SSN_ANYHOW)
        self._ssn_behind = compiled(SSN_BEHIND)
        self._more = compiled(rb"^[ \t./_-]{1,3}\d")
        self._group = compiled(rb"\d+")
        self._holed = compiled(HOLED)
        # In this order: what a kind has found is hidden from the next.
        self._kinds: dict[str, Callable[[str, bytes], Iterator[Piece]]] = {
            "EMAIL_ADDRESS": lambda _, data: network.emails(data),
            "DOMAIN_NAME": lambda _, data: network.hosts(data),
            "IP_ADDRESS": lambda _, data: network.addresses(data),
            "IBAN_CODE": lambda _, data: self._ibans(data),
            "CREDIT_CARD": cards.find,
            "US_SSN": self._ssns,
            "PHONE_NUMBER": phones.find,
        }
        self._checks: dict[str, Callable[[str, bytes], bool | None]] = {
            "EMAIL_ADDRESS": lambda _, data: network.is_email(data),
            "DOMAIN_NAME": lambda _, data: network.is_host(data),
            "IP_ADDRESS": lambda _, data: is_address(str(data, "latin-1"), called=True),
            "IBAN_CODE": lambda _, data: is_iban(_alphanumeric(data)),
            "CREDIT_CARD": lambda _, data: is_card(digits_of(data)),
            "US_SSN": lambda _, data: is_ssn(digits_of(data)),
            "PHONE_NUMBER": phones.valid,
        }

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def find(self, text: str) -> list[Found]:
        """Pieces that do not overlap, by position.

        What is not seen (zero-width spaces, directions) divides words; and what is whole without
        it is found with all of it that stands within.
        """
        data = project(text)
        found = self._search(text, spaced(data))
        if self._holed.search(data):
            thin = Thin.of(text, data)
            within = self._search(thin.text, thin.data)
            places = [(thin.whole(one.start, one.stop), one) for one in within]
            holed = [replace(one, start=at[0], stop=at[1]) for at, one in places if at]
            found = _beside(holed, found)
        return sorted(found, key=lambda one: one.start)

    def _search(self, text: str, data: bytes) -> list[Found]:
        found: list[Found] = []
        for label, kind in self._kinds.items():
            hidden = bytearray(data)
            for start, stop, score in kind(text, data):
                if hidden[start:stop] == data[start:stop]:
                    hidden[start:stop] = HIDDEN * (stop - start)
                    found.append(Found(start, stop, label, score))
            data = bytes(hidden)
        return found

    def find_in(self, text: str, cut: Cut) -> list[Found]:
        """As `find`, of as much of the text as `cut` gives.

        What touches the edge of a piece of a truncated text may be the rest of something else, and
        is left out.
        """
        if not cut.truncated:
            return self.find(text) if cut.pieces else []
        found: list[Found] = []
        for piece in cut.pieces:
            end = piece.start + len(piece.text)
            for one in self.find(piece.text):
                start, stop = piece.start + one.start, piece.start + one.stop
                maimed = 0 < start == piece.start or len(text) > stop == end
                if not maimed:
                    found.append(replace(one, start=start, stop=stop))
        return found

    def valid(self, label: str, text: str) -> bool | None:
        """Whether the text can be such a thing at all; None where its form does not tell."""
        check = self._checks.get(label)
        text = text.strip()
        return check(text, project(text).replace(bytes([UNSEEN]), b"")) if check else None

    def _ibans(self, data: bytes) -> Iterator[Piece]:
        last = 0
        for match in self._iban.finditer(data):
            start = match.start()
            country = str(data[start : start + 2], "latin-1").upper()
            stop = _walk(data, start, IBAN_LENGTHS.get(country, 0))
            if start < last or not stop or touches_behind(data, stop):
                continue
            named = data[max(0, start - 4) : start].lower() == b"iban"
            if not is_iban(_alphanumeric(data[start:stop])) or not _is_grouped(data[start:stop]):
                continue
            if not touches_before(data, start - 4 * named):
                yield start, stop, 0.99
                last = stop

    def _ssns(self, text: str, data: bytes) -> Iterator[Piece]:
        at = 0
        while match := self._ssn.search(data, at):
            start, stop = match.span()
            at = self._after_group(data, start)
            if touches(data, start, stop) or not is_ssn(digits_of(data[start:stop])):
                continue
            named = self._is_called_ssn(data, start, stop)
            mark = data[start + 3 : start + 4]
            if named or not mark.isdigit():
                yield start, stop, 0.97 if named else 0.95 if mark == b"-" else 0.85
                at = stop
        for start, stop in self._ssn_called.find(text, data):
            longer = touches_behind(data, stop) or self._more.search(data[stop : stop + 4])
            if not longer and is_ssn(digits_of(data[start:stop])):
                yield start, stop, 0.97

    def _is_called_ssn(self, data: bytes, start: int, stop: int) -> bool:
        *_, before = self._group.split(data[max(0, start - SSN_REACH) : start])
        if self._ssn_word.search(before):
            return True
        return self._ssn_behind.search(data[stop : stop + 24]) is not None

    def _after_group(self, data: bytes, start: int) -> int:
        """The end of the run of digits at `start`: a number may begin behind it."""
        group = self._group.search(data, start)
        return group.end() if group else len(data)


def _beside(first: Sequence[Found], others: Sequence[Found]) -> list[Found]:
    """Those of `others`, too, which overlap none of the `first`."""
    order = sorted(first, key=lambda one: one.start)
    starts = [one.start for one in order]
    kept = list(order)
    for one in others:
        before = bisect_left(starts, one.stop) - 1
        if before < 0 or order[before].stop <= one.start:
            kept.append(one)
    return kept


def _walk(data: bytes, start: int, length: int) -> int:
    """Where `length` letters and digits end, with at most two separators between two; 0 if they
    do not come."""
    left, gap = length, 0
    for at in range(start, min(len(data), start + IBAN_WALK)):
        if data[at : at + 1].isalnum():
            left -= 1
            gap = 0
        elif data[at] not in b" -.\t\r\n" or (gap := gap + 1) > 2:
            return 0
        if left == 0:
            return at + 1
    return 0


def _is_grouped(data: bytes) -> bool:
    """Set as accounts are and sentences are not: a group without a digit is one of four letters
    (a bank) among groups of four."""
    groups = data[2:].lstrip(b" -").translate(bytes.maketrans(b"-.", b"  ")).split()
    letters = [group for group in groups if group.isalpha()]
    fours = all(len(group) == 4 for group in groups[1:-1])
    return not letters or (fours and all(len(group) == 4 for group in letters))


def _alphanumeric(data: bytes) -> str:
    return "".join(chr(byte) for byte in data if chr(byte).isalnum() and byte < 128).upper()
