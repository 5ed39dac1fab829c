"""How much may be on its way to one server at a time.

Triton's shared memory grows with what its processes hold at once, and stays. What waits here
waits in the memory of the router, where it is already.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from orchestrator.inference import MAX_IMAGE_BYTES

# Pictures: twice the batches that two instances of the preprocessor take, so that none of them is
# idle between two answers. Bytes: one picture of the largest size, or several smaller ones.
MOST = 16
MOST_BYTES = MAX_IMAGE_BYTES


class Budget:
    """At most `most` things of together `most_bytes`; a larger one goes alone. First come, first
    served: small ones do not overtake a large one for ever.
    """

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._held = 0
        self._bytes = 0
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def held(self, size: int) -> AsyncIterator[None]:
        await self._enter(size)
        try:
            yield
        finally:
            self._leave(size)

    async def _enter(self, size: int) -> None:
        if not self._queue and self._fits(size):
            self._take(size)
            return
        turn = size, asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn[1]
        except asyncio.CancelledError:
            if turn in self._queue:
                self._queue.remove(turn)
                self._admit()  # those behind it may fit
            else:
                self._leave(size)  # it was let in at the same moment
            raise

    def _leave(self, size: int) -> None:
        self._held -= 1
        self._bytes -= size
        self._admit()

    def _admit(self) -> None:
        while self._queue and self._fits(self._queue[0][0]):
            size, turn = self._queue.popleft()
            self._take(size)
            turn.set_result(None)

    def _fits(self, size: int) -> bool:
        return not self._held or (
            self._held < self._most and self._bytes + size <= self._most_bytes
        )

    def _take(self, size: int) -> None:
        self._held += 1
        self._bytes += size
