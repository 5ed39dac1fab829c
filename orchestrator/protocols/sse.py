"""Following an event stream without re-reading it, so that it can be ended cleanly.

Bytes leave exactly as they came. Only the tail of an unfinished event waits for its blank line,
because a client that has half an event cannot parse whatever comes next. Lines are never split
in Python: `str.splitlines` breaks on U+2028 and U+0085, which JSON may hold.
"""

from __future__ import annotations

import re

ENDED = b"\n\ndata: [DONE]\n\n"  # how nearly every answer ends

# An event longer than this (an image, a tool result) is passed on unfinished rather than kept.
# 64 KiB is the read buffer of aiohttp: what one read can return is never cut.
HELD = 65536

# A blank line ends an event; the specification allows three spellings of a line end.
BLANK_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")
LONGEST = max(map(len, BLANK_LINES))

_DONE = re.compile(rb"^data: ?\[DONE\]\s*$", re.MULTILINE)
# Inside a JSON string the quotes would be escaped, so this never matches an answer's text.
_FINISHED = re.compile(rb'"finish_reason" ?: ?"')


class Passage:
    """One stream on its way through. `feed` every chunk, then `finish` or `interrupt` once."""

    def __init__(self) -> None:
        self._held = b""  # the beginning of an event, not passed on yet
        self._sent = b""  # the end of what was passed on
        self._earlier = b""  # what was passed on before that: usage may follow the finish

    def feed(self, chunk: bytes) -> bytes:
        """What may be passed on now: everything up to the last blank line."""
        if not self._held and chunk.endswith(b"\n\n"):  # the common case: whole events
            self._pass(chunk)
            return chunk
        data = self._held + chunk if self._held else chunk
        end = _last_blank_line(data, max(0, len(self._held) - LONGEST))
        if self._is_open() or len(data) - end > HELD or data.startswith(b":", end):
            # A started event goes on as it comes, and a comment is a sign of life.
            end = len(data)
        ready, self._held = data[:end], data[end:]
        if ready:
            self._pass(ready)
        return ready

    def finish(self) -> tuple[bytes, bool]:
        """The stream ended by itself: what is left to pass on, and whether the answer is whole.

        Whole means `[DONE]` or at least a finish reason near the end: some servers omit the former.
        """
        rest, self._held = self._held, b""
        if not rest and self._sent.endswith(ENDED):
            return rest, True
        tail = self._earlier + self._sent + rest
        return rest, bool(_DONE.search(tail) or _FINISHED.search(tail))

    @property
    def done(self) -> bool:
        """`[DONE]` has come: nothing of the answer can be missing."""
        return bool(_DONE.search(self._earlier + self._sent + self._held))

    def interrupt(self, event: bytes) -> bytes:
        """The stream broke: drop the unfinished event, and end with `event`."""
        if not self._is_open():
            return event
        # Too late to take it back: close the line and the event, so that the next one parses.
        return (b"\n" if self._sent.endswith((b"\n", b"\r")) else b"\n\n") + event

    def _is_open(self) -> bool:
        """The beginning of an unfinished event has been passed on."""
        return bool(self._sent) and not self._sent.endswith(BLANK_LINES)

    def _pass(self, data: bytes) -> None:
        self._earlier = self._sent[-HELD:]
        self._sent = data if len(data) >= LONGEST else self._sent[-LONGEST:] + data


def _last_blank_line(data: bytes, start: int) -> int:
    """Offset behind the last blank line at or after `start`; 0 where there is none."""
    end = 0
    for line in BLANK_LINES:
        found = data.rfind(line, start)
        if found >= 0:
            end = max(end, found + len(line))
    return end
