"""Personal data that can be proved by its own form: checksums, ranges, grammars.

What only the sense of a sentence tells (names, places, a bare domain) is a model's work. Every
search is linear in the text (RE2, pieces of bounded length). Positions are indices of the string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.matching.personal_checks import IBAN_LENGTHS, is_card, is_iban, is_ssn
from orchestrator.matching.personal_network import Network, is_address
from orchestrator.matching.personal_phones import Phones
from orchestrator.matching.personal_text import compiled, project, touches
from orchestrator.matching.pieces import Cut

Piece = tuple[int, int, float]

# With separators a card has the groups that are printed on it.
CARD: Final = rb"\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?:[ -]\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{14,19}"
IBAN: Final = rb"[A-Z]{2}\d{2}[ -]?[A-Z0-9]"
IBAN_WALK: Final = 34 + 17  # characters, with a separator after every second
SSN: Final = rb"\d{3}-\d{2}-\d{4}|\d{3}[ .]\d{2}[ .]\d{4}|\d{9}"
SSN_WORD: Final = rb"\bssns?\b|social|\bsoc\b|taxpayer|\btin\b"
SSN_REACH: Final = 48  # characters before the number, with no other number between
SSN_BEHIND: Final = rb"^ [a-z ]{0,16}(?:ssn|social)"
HIDDEN: Final = b"\x81"  # what was found, for the kinds that come after


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
        network, phones = Network(), Phones()
        self._network, self._phones = network, phones
        self._card = compiled(CARD)
        self._iban = compiled(IBAN)
        self._ssn = compiled(SSN)
        self._ssn_word = compiled(SSN_WORD)
        self._ssn_behind = compiled(SSN_BEHIND)
        self._group = compiled(rb"\d+")
        # In this order: what a kind has found is hidden from the next.
        self._kinds: dict[str, Callable[[str, bytes], Iterator[Piece]]] = {
            "EMAIL_ADDRESS": lambda _, data: network.emails(data),
            "DOMAIN_NAME": lambda _, data: network.hosts(data),
            "IP_ADDRESS": lambda _, data: network.addresses(data),
            "IBAN_CODE": lambda _, data: self._ibans(data),
            "CREDIT_CARD": lambda _, data: self._cards(data),
            "US_SSN": lambda _, data: self._ssns(data),
            "PHONE_NUMBER": phones.find,
        }
        self._checks: dict[str, Callable[[str, bytes], bool | None]] = {
            "EMAIL_ADDRESS": lambda _, data: network.is_email(data),
            "DOMAIN_NAME": lambda _, data: network.is_host(data),
            "IP_ADDRESS": lambda _, data: is_address(str(data, "latin-1")),
            "IBAN_CODE": lambda _, data: is_iban(_alphanumeric(data)),
            "CREDIT_CARD": lambda _, data: is_card(_digits(data)),
            "US_SSN": lambda _, data: is_ssn(_digits(data)),
            "PHONE_NUMBER": phones.valid,
        }

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    def find(self, text: str) -> list[Found]:
        """Pieces that do not overlap, by position."""
        data = project(text)
        found: list[Found] = []
        for label, kind in self._kinds.items():
            hidden = bytearray(data)
            for start, stop, score in kind(text, data):
                if hidden[start:stop] == data[start:stop]:
                    hidden[start:stop] = HIDDEN * (stop - start)
                    found.append(Found(start, stop, label, score))
            data = bytes(hidden)
        return sorted(found, key=lambda one: one.start)

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
        return check(text, project(text.strip())) if check else None

    def _cards(self, data: bytes) -> Iterator[Piece]:
        at = 0
        while match := self._card.search(data, at):
            start, stop = match.span()
            at = self._after_group(data, start)
            # The three digits at the end of a card of 19 may be the head of something else.
            for end in (stop, start + 19) if stop - start == 23 else (stop,):
                digits = _digits(data[start:end])
                if not touches(data, start, end) and is_card(digits):
                    yield start, end, 0.99 if len(digits) < end - start else 0.95
                    at = end
                    break

    def _ibans(self, data: bytes) -> Iterator[Piece]:
        last = 0
        for match in self._iban.finditer(data):
            start = match.start()
            country = str(data[start : start + 2], "latin-1").upper()
            stop = _walk(data, start, IBAN_LENGTHS.get(country, 0))
            if start < last or not stop or touches(data, start, stop):
                continue
            if is_iban(_alphanumeric(data[start:stop])):
                yield start, stop, 0.99
                last = stop

    def _ssns(self, data: bytes) -> Iterator[Piece]:
        at = 0
        while match := self._ssn.search(data, at):
            start, stop = match.span()
            at = self._after_group(data, start)
            if touches(data, start, stop) or not is_ssn(_digits(data[start:stop])):
                continue
            named = self._is_called_ssn(data, start, stop)
            mark = data[start + 3 : start + 4]
            if named or mark == b"-" or mark == b" ":
                yield start, stop, 0.97 if named else 0.95 if mark == b"-" else 0.85
                at = stop

    def _is_called_ssn(self, data: bytes, start: int, stop: int) -> bool:
        *_, before = self._group.split(data[max(0, start - SSN_REACH) : start])
        if self._ssn_word.search(before):
            return True
        return self._ssn_behind.search(data[stop : stop + 24]) is not None

    def _after_group(self, data: bytes, start: int) -> int:
        """The end of the run of digits at `start`: a number may begin behind it."""
        group = self._group.search(data, start)
        return group.end() if group else len(data)


def _walk(data: bytes, start: int, length: int) -> int:
    """Where `length` letters and digits end, with at most one separator between two; 0 if they
    do not come."""
    at, left = start, length
    for at in range(start, min(len(data), start + IBAN_WALK)):
        if data[at : at + 1].isalnum():
            left -= 1
        elif data[at] not in b" -" or data[at - 1] in b" -":
            return 0
        if left == 0:
            return at + 1
    return 0


def _digits(data: bytes) -> str:
    return "".join(chr(byte) for byte in data if 48 <= byte <= 57)


def _alphanumeric(data: bytes) -> str:
    return "".join(chr(byte) for byte in data if chr(byte).isalnum() and byte < 128).upper()
