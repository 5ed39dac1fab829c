"""Bodies and headers of the config endpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from aiohttp import web

from orchestrator.config import editing
from orchestrator.config.read import MOST_DEPTH, verbatim
from orchestrator.errors import ConfigError, Problem, RequestError
from orchestrator.server.body import read
from orchestrator.server.encodings import UnsupportedType
from orchestrator.server.management import read_json

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"  # RFC 7396
YAML = "application/yaml"
YAML_TYPES = (YAML, "application/x-yaml", "text/yaml", "text/x-yaml")
WRAPPED = "yaml"  # the reference's body: {"yaml": "..."}
LOST = "the body is JSON, so the file has no comments any more; send YAML to keep your own"
REWRITTEN = "the file was written anew from its data, without its comments"

_TAGS = re.compile(r'(W/)?"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Body:
    text: Callable[[], str]  # of the document, YAML; slow for a large one; raises ConfigError
    note: str = ""  # what the caller should know


async def document(request: web.Request) -> Body:
    """YAML as it is, `{"yaml": text}`, or the document itself as JSON.

    Raises RequestError for a body that is neither.
    """
    if request.content_type in YAML_TYPES:
        text = await _text(request)
        return Body(lambda: _unmasked(text))
    data = await json_object(request)
    wrapped = data.get(WRAPPED)
    if isinstance(wrapped, str) and not {"routing", "global"} & data.keys():
        return Body(lambda: _unmasked(wrapped))
    return Body(lambda: dumped(data), LOST)


async def merge_patch(request: web.Request) -> dict[str, Any]:
    """As plain JSON too. Raises what `json_object` raises."""
    return await json_object(request, (MERGE_PATCH, JSON))


async def json_object(request: web.Request, types: Sequence[str] = (JSON,)) -> dict[str, Any]:
    """The type must be said: a web page cannot send it to another site unasked.

    Raises UnsupportedType, and RequestError where it is no JSON object, or deeper than a policy
    may be.
    """
    if request.content_type not in types:
        also = ", a document also as " + YAML if types == (JSON,) else ""
        said = f"content type {request.content_type!r}: send {' or '.join(types)}{also}"
        raise UnsupportedType(said)
    data = await read_json(request)
    if _too_deep(data):
        raise RequestError(f"the body is nested deeper than {MOST_DEPTH} levels")
    return data


def _too_deep(data: object) -> bool:
    """Level by level: what comes after this may recurse."""
    level = [data]
    for _ in range(MOST_DEPTH + 1):
        level = [inner for one in level for inner in _inside(one)]
    return bool(level)


def _inside(data: object) -> Iterable[object]:
    if isinstance(data, dict):
        return data.values()
    return data if isinstance(data, list) else ()


def dumped(data: dict[str, Any]) -> str:
    """Raises ConfigError for masked secrets and for what YAML does not know."""
    editing.refuse_masks(data, "<body>")
    return editing.dump(data)


def _unmasked(text: str) -> str:
    editing.refuse_masks(verbatim(text, "<body>"), "<body>")
    return text


async def _text(request: web.Request) -> str:
    try:
        return (await read(request)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError("the body is not UTF-8 text") from None


def etag(digest: str) -> str:
    return f'"{digest}"'


def agrees(header: str, digest: str) -> bool:
    """Whether `If-Match: header` names the document of that digest; weak tags never do."""
    if header.strip() == "*":
        return True
    return any(not weak and tag == digest for weak, tag in _TAGS.findall(header))


def told(problems: tuple[Problem, ...]) -> list[dict[str, Any]]:
    return [asdict(problem) for problem in problems]


def problems_of(error: ConfigError) -> tuple[Problem, ...]:
    """At least one."""
    return error.problems or (Problem("(document)", str(error)),)
