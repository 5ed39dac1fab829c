"""The pictures of a request as evidence: read, fetched where that is allowed, and seen once.

The signals that compare pictures share this (spec/signals.md 2.2, 2.11). A picture of which nothing
is known says so with a reason code, and costs no other picture its answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from orchestrator.config.images import Images
from orchestrator.errors import ImageRefused, InferenceError, InferenceTimeout, UnreadableImage
from orchestrator.inference import Embeddings, Inference
from orchestrator.inference.pacing import together
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.matching.data_uris import SCHEME, Limits, PictureRefused, check, decode
from orchestrator.types import Request

MOST = 8  # pictures of one request that are looked at, the first ones
UNFAMILIAR = "unfamiliar_image"
NOT_SEEN = "pictures_not_seen"
LIMIT = 1.8  # seconds; less than a family may take, so that what it knows of the text stays
LARGE = 262_144  # characters of a data URI; a longer one is decoded in a thread

logger = logging.getLogger(__name__)

Fetch = Callable[[str], Awaitable[bytes]]  # of an http(s) URL; raises ImageNotFetched
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class View:
    """One picture. `reason`: why nothing is known of it, or empty, and then there is a vector."""

    vector: Embeddings | None = None  # [d], of length 1
    known: float = 0.0  # see `Seen.known`
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Views:
    """The pictures that are looked at, in order. `cut`: there are more that would count."""

    each: tuple[View, ...] = ()
    cut: bool = False

    @property
    def vectors(self) -> list[Embeddings]:
        """Of those that are known."""
        return [view.vector for view in self.each if view.vector is not None and not view.reason]

    @property
    def reason(self) -> str:
        """Why the first of those that are not known is not; empty where all are."""
        unseen = NOT_SEEN if self.cut else ""
        return next((view.reason for view in self.each if view.reason), unseen)

    @property
    def known(self) -> float | None:
        """The highest; None where no picture came to the encoder."""
        return max((view.known for view in self.each if view.vector is not None), default=None)


class _Look:
    def __init__(self, task: asyncio.Task[Views]) -> None:
        self.task = task
        self.callers = 0


class Pictures:
    """`fetch` is None where URLs are ignored. `limit` (seconds) bounds what the models may take."""

    def __init__(
        self,
        inference: Inference,
        settings: Images,
        fetch: Fetch | None = None,
        limit: float = LIMIT,
    ) -> None:
        self._inference = inference
        self._settings = settings
        self._fetch = fetch
        self._limit = limit
        self._limits = Limits(settings.max_bytes, settings.max_pixels)
        self._looks: dict[int, _Look] = {}  # by the identity of the request, while anybody waits

    def of(self, request: Request) -> tuple[str, ...]:
        """The pictures of `request` that count, as it names them, also beyond MOST."""
        if self._fetch is not None:
            return request.images
        return tuple(one for one in request.images if _inline(one))

    def shown(self, request: Request) -> bool:
        """Whether there is a picture to judge by, be it one that cannot be looked at."""
        return bool(self.of(request)) or self._cut(request)

    def wait(self, request: Request) -> float:
        """Seconds that fetching may take, before any model is asked."""
        linked = any(not _inline(one) for one in self._looked_at(request))
        return self._settings.fetch.timeout_seconds if linked else 0.0

    async def views(self, request: Request) -> Views:
        """Signals that ask at the same time share one look.

        Raises UnreadableImage where the policy wants a refused picture said.
        """
        look = self._looks.get(id(request))
        if look is None:
            look = self._looks[id(request)] = _Look(asyncio.ensure_future(self._look(request)))
        look.callers += 1
        try:
            return await asyncio.shield(look.task)
        finally:
            look.callers -= 1
            if not look.callers:
                del self._looks[id(request)]
                look.task.cancel()

    async def _look(self, request: Request) -> Views:
        asked = self._looked_at(request)
        views = await together([self._see(uri, at + 1) for at, uri in enumerate(asked)])
        return Views(tuple(views), self._cut(request))

    def _cut(self, request: Request) -> bool:
        """Where any may count, also those that a model may read and we do not: beyond MOST, shown
        by others than the user, under URLs that are not fetched."""
        every = max(request.shape.pictures, len(request.images))
        return self._settings.which == "any" and every > len(self._looked_at(request))

    def _looked_at(self, request: Request) -> tuple[str, ...]:
        return self.of(request)[: 1 if self._settings.which == "first" else MOST]

    async def _see(self, uri: str, position: int) -> View:
        """`position` counts from 1, for people."""
        try:
            data = await self._read(uri)
            async with asyncio.timeout(self._limit):
                seen = await self._inference.see(IMAGE_SIGNALS, [data])
        except (ImageRefused, PictureRefused) as error:
            said = f"image {position} of the request is not read: it is {error}"
            if self._settings.on_refused == "error":
                raise UnreadableImage(said, "messages") from None
            logger.info("%s", said)
            return View(reason=ImageRefused.code)
        except TimeoutError:
            return View(reason=InferenceTimeout.code)
        except InferenceError as error:
            return View(reason=error.code)
        known = float(seen.known[0])
        return View(seen.embeddings[0], known, "" if known >= seen.floor else UNFAMILIAR)

    async def _read(self, uri: str) -> bytes:
        """Raises PictureRefused, ImageNotFetched."""
        if self._fetch is None or _inline(uri):
            if len(uri) > LARGE:
                return (await asyncio.to_thread(decode, uri, self._limits)).data
            return decode(uri, self._limits).data
        data = await self._fetch(uri)
        check(data, self._limits)
        return data


def _inline(uri: str) -> bool:
    return uri[: len(SCHEME)].lower() == SCHEME


async def attempted(asking: Awaitable[T]) -> T | InferenceError:
    """An answer, or why there is none: of two questions one may fail and the other not."""
    try:
        return await asking
    except InferenceError as error:
        return error
