"""Recorded requests: JSON Lines of chat bodies, or the requests of a probe file.

A line is a chat body ({messages, ...}), {text}, or an object that holds one as `body` or `request`
(the lines of OpenAI's batch files are such, with their `custom_id`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from orchestrator.errors import RequestError, RouterError
from orchestrator.probes import load
from orchestrator.probes.request import body_of

STANDARD_INPUT = "-"
YAML = frozenset({".yaml", ".yml"})
HELD_AS = ("body", "request")  # where a recording keeps the chat body


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request, or why there is none. `id` is `file:line`, a probe's, or a `custom_id`;
    `place` is always where it stands.
    """

    id: str
    body: Mapping[str, Any] | None
    problem: str = ""
    place: str = ""


def read(paths: Iterable[str], stdin: BinaryIO) -> list[Recorded]:
    """Everything in `paths`, in order; `-` is standard input, in JSON Lines.

    Raises RequestError for what cannot be read, ConfigError for a bad probe file. A line that is
    no request stays, with its problem.
    """
    return [one for path in paths for one in _requests(path, stdin)]


def _requests(path: str, stdin: BinaryIO) -> Iterator[Recorded]:
    if path == STANDARD_INPUT:
        yield from _lines("standard input", stdin)
    elif Path(path).suffix.lower() in YAML:
        yield from _probes(Path(path))
    else:
        try:
            with Path(path).open("rb") as file:
                yield from _lines(path, file)
        except OSError as error:
            raise RequestError(f"cannot read {path}: {error.strerror or error}") from None


def _probes(path: Path) -> Iterator[Recorded]:
    file, probes = load.load(path)
    for probe in probes:
        try:
            yield Recorded(probe.id, body_of(probe, file), place=f"{path}: {probe.id}")
        except RouterError as error:
            yield Recorded(probe.id, None, str(error), f"{path}: {probe.id}")


def _lines(name: str, lines: Iterable[bytes]) -> Iterator[Recorded]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _request(f"{name}:{number}", line)


def _request(place: str, line: bytes) -> Recorded:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return Recorded(place, None, "not JSON", place)
    held = next((value[key] for key in HELD_AS if key in value), value) if _is(value) else value
    if not _is(held):
        return Recorded(place, None, "not a JSON object", place)
    custom = value.get("custom_id")
    named = custom if isinstance(custom, str) and custom else place
    return Recorded(named, held, place=place)


def _is(value: object) -> bool:
    return isinstance(value, dict)
