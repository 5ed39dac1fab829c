"""Many regular expressions over one text, in one pass and in linear time.

RE2 (https://github.com/google/re2), the dialect of the v0.3 format: no back-references, no
look-around. The text is bytes: every pattern reads the same encoding of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

# Bytes for a compiled program and its automaton. What does not fit is refused when compiled;
# the automaton starts afresh when full, so that more memory is a matter of speed alone.
MEMORY = 16 << 20
# Counting costs about 0.75 µs a match; a megabyte of "?" would hold the event loop for a second.
MOST_MATCHES = 10_000
# Bytes that the searches of one count may read beyond the text itself; about 1.5 ns each. A search
# may read on to the end of the text before it knows that a match ended long ago: `T(.*F)?`.
MOST_REREAD = 32 << 20
# The slow way of RE2 costs time by the instruction, for every byte of the text.
MOST_INSTRUCTIONS = 50_000


def encode(text: str) -> bytes:
    """UTF-8; a lone surrogate, which no encoding has, becomes "?"."""
    return text.encode("utf-8", "replace")


def dialect(pattern: str, *, case_sensitive: bool) -> str:
    """The pattern with its case rule inside."""
    return pattern if case_sensitive else f"(?i){pattern}"


def is_plain(pattern: str) -> bool:
    """The pattern has no operator: it matches itself."""
    return not any(operator in pattern for operator in r"\.+*?()[]{}|^$")


class Pattern:
    """One compiled expression. Raises ValueError with RE2's reason when it cannot be."""

    def __init__(self, pattern: str) -> None:
        try:
            self._regexp = re2.compile(encode(pattern), _options(MEMORY))
        except re2.error as error:
            reason = error.args[0]
            if isinstance(reason, bytes):  # RE2 answers in the type of the pattern
                reason = reason.decode("utf-8", "replace")
            raise ValueError(f"not a valid RE2 pattern: {reason}") from error
        if self._regexp.programsize > MOST_INSTRUCTIONS:
            raise ValueError("not a valid RE2 pattern: pattern too large")
        # Without these, a match is no longer than the pattern, and so is what is read beyond it.
        self._unbounded = any(repetition in pattern for repetition in "*+{")

    def search(self, data: bytes) -> bool:
        return self._regexp.search(data) is not None

    def count(self, data: bytes) -> tuple[int, int]:
        """Matches that do not overlap, and how many bytes were read to count them: all, or up
        to the end of the match at which `MOST_MATCHES` or `MOST_REREAD` was reached."""
        found = last = reread = 0
        for match in self._regexp.finditer(data):
            found += 1
            last = match.end()
            reread += len(data) - last if self._unbounded else 0
            if found == MOST_MATCHES or reread > MOST_REREAD:
                return found, last
        return found, len(data)


class Patterns:
    """Which of many expressions occur in a text."""

    def __init__(self, patterns: Sequence[str], memory: int = MEMORY) -> None:
        self._groups = [*_groups(tuple(patterns), 0, memory)]

    def found(self, data: bytes) -> list[int]:
        """Positions in `patterns`, in no order."""
        return [number for group in self._groups for number in group.found(data)]


class _Group:
    """Neighbours that fit into one automaton. Raises re2.error when they do not."""

    def __init__(self, patterns: tuple[str, ...], start: int, memory: int) -> None:
        self._patterns = patterns
        self._start = start
        self._set = re2.Set.SearchSet(_options(memory))
        for pattern in patterns:
            self._set.Add(encode(pattern))
        # RE2 answers a set that ran out of memory like one that matched nothing. The end of the
        # text always matches: an answer without it is a failure.
        self._end: int = self._set.Add(rb"\z")
        self._set.Compile()

    def found(self, data: bytes) -> Iterator[int]:
        hits: list[int] = self._set.Match(data) or []
        if self._end not in hits:
            hits = [i for i, one in enumerate(self._patterns) if Pattern(one).search(data)]
        return (self._start + i for i in hits if i != self._end)


class _Single:
    """One expression that RE2 accepts alone, but not in a set."""

    def __init__(self, pattern: str, number: int) -> None:
        self._pattern = Pattern(pattern)
        self._number = number

    def found(self, data: bytes) -> Iterator[int]:
        return iter([self._number] if self._pattern.search(data) else [])


def _groups(patterns: tuple[str, ...], start: int, memory: int) -> Iterator[_Group | _Single]:
    try:
        yield _Group(patterns, start, memory)
    except re2.error:
        if len(patterns) == 1:
            yield _Single(patterns[0], start)
            return
        half = len(patterns) // 2
        yield from _groups(patterns[:half], start, memory)
        yield from _groups(patterns[half:], start + half, memory)


def _options(memory: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = memory
    options.never_capture = True  # no one reads groups, and each costs time
    options.log_errors = False  # patterns and texts are users' data
    return options
