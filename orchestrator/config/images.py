"""`global.images`: how pictures in requests become evidence. An addition of this project."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from orchestrator.config.fields import Duration, Strict

# What model_repository/image_preprocess reads at most; beyond it every picture is refused anyway.
MAX_BYTES = 20_000_000  # of the encoded file
MAX_PIXELS = 40_000_000  # width x height
MAX_SECONDS = 60

_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:\*\.)?(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?(?::[0-9]{{1,5}})?")


def _host(value: str) -> str:
    if not _HOST.fullmatch(value):
        raise ValueError(
            "expected the name of a host, such as pictures.example.org, or *.example.org for all"
            " below it; a port may follow. No scheme, path or address"
        )
    return value


Host = Annotated[
    str, StringConstraints(strip_whitespace=True, to_lower=True), AfterValidator(_host)
]
Bytes = Annotated[int, Field(ge=1, le=MAX_BYTES)]


class Fetch(Strict):
    """Pictures that a request names by an http(s) URL; ignored unless `enabled`.

    Only hosts of `allow` are asked: that very name, or for `*.example.org` any name below it.
    Without a port in the entry, only the scheme's own.
    """

    enabled: bool = False
    """Fetches pictures that a request names by a URL; or else they are ignored."""
    allow: tuple[Host, ...] = ()
    """Hosts that may be asked: pictures.example.org, or *.example.org; a port may follow."""
    timeout_seconds: Annotated[Duration, Field(gt=0, le=MAX_SECONDS)] = 5.0
    """Of one picture; a family that waits for it may take longer by as much."""
    max_bytes: Bytes = MAX_BYTES
    """Of one picture."""

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.enabled and not self.allow:
            raise ValueError("allow names no host, so nothing could be fetched")
        return self


class Images(Strict):
    """`which` pictures of a request rules look at: the first one of the user's turns, or as many
    as `inference.pictures.MOST` of them. With `any`, a rule that no picture matches is `unknown`
    where there are others that nobody looked at, in any message and under any URL.

    A picture that cannot be read (too large, of another format, cut short, not what it is declared
    as) makes the rules that read it `unknown`, or is an `error`: HTTP 400.
    """

    which: Literal["first", "any"] = "first"
    """Pictures of the user's turns that rules look at: the first, or as many as eight."""
    on_refused: Literal["unknown", "error"] = "unknown"
    """A picture that is not read makes its rules unknown, or is an HTTP 400."""
    max_bytes: Bytes = MAX_BYTES
    """Of a picture as a file."""
    max_pixels: Annotated[int, Field(ge=1, le=MAX_PIXELS)] = MAX_PIXELS
    """Width x height."""
    fetch: Fetch = Fetch()
    """Pictures that a request names by an http(s) URL."""
