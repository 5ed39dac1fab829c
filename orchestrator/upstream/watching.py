"""What one answer tells of its model's speed: the first token, and the time for each further one.

Streams are counted by their events, of which vLLM sends one a token, unless the backend says how
many tokens there were. Of other answers only that number tells, and the whole time is shared out
among the tokens, that of the prompt included.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Protocol

TAIL = 4_096  # bytes at the end of an answer that may hold its usage
FEWEST = 2  # tokens of which a pace can be told
_TOKENS = re.compile(rb'"completion_tokens" ?: ?(\d{1,9})')


class Observer(Protocol):
    """Who wants to know; see Standing."""

    def started(self, model: str) -> None: ...
    def ended(self, model: str) -> None: ...
    def first_token(self, model: str, seconds: float) -> None: ...
    def per_token(self, model: str, seconds: float) -> None: ...


class Watch:
    """One answer. `begin` once it is sent, `chunk` with every piece, `whole` at its end."""

    def __init__(
        self,
        observer: Observer,
        model: str,
        streams: bool,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._observer = observer
        self._model = model
        self._streams = streams
        self._clock = clock
        self._sent = clock()
        self._first = self._last = 0.0
        self._events = 0
        self._tail = b""

    def chunk(self, data: bytes) -> None:
        self._last = self._clock()
        if not self._first:
            self._first = self._last
            if self._streams:
                self._observer.first_token(self._model, self._first - self._sent)
        if self._streams:
            self._events += data.count(b"data: {")
        self._tail = data[-TAIL:] if len(data) >= TAIL else (self._tail + data)[-TAIL:]

    def whole(self) -> None:
        """The answer is complete; never called for one that breaks or is given up."""
        found = _TOKENS.findall(self._tail)
        tokens = int(found[-1]) if found else self._events
        if not self._first or tokens < FEWEST:
            return
        if self._streams:
            self._observer.per_token(self._model, (self._last - self._first) / (tokens - 1))
        elif found:
            self._observer.per_token(self._model, (self._last - self._sent) / tokens)
