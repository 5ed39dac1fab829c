"""Things that are dear to start and that policies share: started for the first, ended after the
last has given it back.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

Wanted = TypeVar("Wanted")
Thing = TypeVar("Thing")


@dataclass(slots=True, eq=False)
class _Lent(Generic[Wanted, Thing]):
    made_for: Wanted
    thing: Thing
    stack: AsyncExitStack
    users: int = 0


class Lending(Generic[Wanted, Thing]):
    """`make` starts what is wanted, and its context ends it. `serves(wanted, made_for)`: what was
    started for the one is good for the other.
    """

    def __init__(
        self,
        make: Callable[[Wanted], AbstractAsyncContextManager[Thing]],
        serves: Callable[[Wanted, Wanted], bool] = operator.eq,
    ) -> None:
        self._make = make
        self._serves = serves
        self._lent: list[_Lent[Wanted, Thing]] = []
        self._making = asyncio.Lock()

    @asynccontextmanager
    async def lend(self, wanted: Wanted) -> AsyncIterator[Thing]:
        """Raises what `make` raises."""
        async with self._making:
            one = next((one for one in self._lent if self._serves(wanted, one.made_for)), None)
            if one is None:
                stack = AsyncExitStack()
                thing = await stack.enter_async_context(self._make(wanted))
                one = _Lent(wanted, thing, stack)
                self._lent.append(one)
            one.users += 1
        try:
            yield one.thing
        finally:
            one.users -= 1
            if one.users == 0:
                self._lent.remove(one)
                await one.stack.aclose()
