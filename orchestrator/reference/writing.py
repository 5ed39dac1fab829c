"""Keys as lines of YAML. Before a key that is commented out stands `#`, before text `# `."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import yaml

WIDTH = 100
INDENT = "  "


@dataclass(frozen=True, slots=True)
class Line:
    """`name` and its `value`, in YAML; of a block None. `kind` and `note` say what may stand there
    and what it is for. `first` of a row: `- ` stands before it. Without `name`: a note.
    """

    depth: int
    name: str = ""
    value: str | None = None
    kind: str = ""
    note: str = ""
    live: bool = True
    first: bool = False

    @property
    def said(self) -> str:
        return ". ".join(text for text in (self.kind, self.note) if text)

    @property
    def opens(self) -> bool:
        """Begins a part of the file: a blank line goes before it."""
        return bool(self.name) and (not self.depth or (self.depth == 1 and self.value is None))


def written(lines: Iterable[Line]) -> Iterator[str]:
    for line in lines:
        outer = INDENT * (line.depth - line.first)
        if not line.name:
            yield from _prose(line.said, INDENT * line.depth)
            continue
        key = f"{outer}{'' if line.live else '#'}{'- ' if line.first else ''}{line.name}:"
        if line.value is not None:
            key += f" {line.value}"
        if line.opens:
            yield ""
        if line.said and len(key) + len(line.said) + 4 > WIDTH:
            yield from _prose(line.said, outer)
            yield key
        else:
            yield f"{key}  # {line.said}" if line.said else key


def _prose(text: str, indent: str) -> Iterator[str]:
    for paragraph in text.split("\n"):
        lines = textwrap.wrap(paragraph, WIDTH - len(indent) - 2, break_on_hyphens=False)
        yield from (f"{indent}# {line}" for line in lines or [""])


def flow(value: object) -> str:
    """A value on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=float("inf"), sort_keys=False, allow_unicode=True
    )
    return text.strip().removesuffix("...").strip() if value != "..." else "..."
