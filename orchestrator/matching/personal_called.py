"""Numbers that a word announces: "card", "SSN", and their like in scripts that are no ASCII."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.matching.personal_text import compiled

MOST_WORDS: Final = 10_000  # of each kind in one text
REACH: Final = 48  # characters between the word and the number, none of them a digit
WIDTH: Final = 160  # characters of a number, at most


class Called:
    """Finds the first number behind each word, where it has the form of `number`.

    `word` and `number` are RE2 of projected bytes; `scripts` are words as they are written.
    """

    def __init__(self, word: bytes, number: bytes, scripts: Sequence[str] = ()) -> None:
        self._word = compiled(word)
        self._number = compiled(rb"^[^\d]{0,%d}(" % REACH + number + rb")")
        self._scripts = tuple(scripts)

    def find(self, text: str, data: bytes) -> Iterator[tuple[int, int]]:
        """Start and stop; a number behind two words comes twice."""
        for _, behind in self._words(text, data):
            match = self._number.search(data[behind : behind + REACH + WIDTH])
            if match:
                yield behind + match.start(1), behind + match.end(1)

    def _words(self, text: str, data: bytes) -> Iterator[tuple[int, int]]:
        for count, match in enumerate(self._word.finditer(data)):
            if count == MOST_WORDS:
                break
            yield match.span()
        yield from written(text, self._scripts)


def written(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words stand that are no ASCII, MOST_WORDS of each; nothing in a text that is ASCII."""
    if text.isascii():
        return
    for word in words:
        at = text.find(word)
        for _ in range(MOST_WORDS):
            if at < 0:
                break
            yield at, at + len(word)
            at = text.find(word, at + len(word))
