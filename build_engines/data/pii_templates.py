"""Templates: a line of text with slots. `{PERSON:first}` is a labelled value, `{~order}` is noise.

A line break is written `\\n`, a tab `\\t`. Braces around anything else are text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from build_engines.data import Span
from build_engines.data.pii_values import Writer

FOLDER: Final = Path(__file__).parent / "pii"
SLOT: Final = re.compile(r"\{([A-Z_]{3,}|~)(?::?)([a-z0-9]*)\}")
# Shares of texts as people type them who do not care for capitals, or for nothing else.
LOWER: Final = 0.14
UPPER: Final = 0.04


@dataclass(frozen=True, slots=True)
class Template:
    text: str
    group: str
    language: str

    @property
    def has_slots(self) -> bool:
        return SLOT.search(self.text) is not None

    def fill(self, writer: Writer) -> tuple[str, tuple[Span, ...]]:
        """One text, and where its labelled values lie."""
        writer.meet(self.language)
        case = self._case(writer)
        pieces: list[str] = []
        spans: list[Span] = []
        at = last = 0
        for slot in SLOT.finditer(self.text):
            before = case(self.text[last : slot.start()])
            label, variant = slot.groups()
            value = case(writer.noise(variant) if label == "~" else writer.value(label, variant))
            at += len(before)
            if label != "~":
                spans.append(Span(at, at + len(value), label))
            at += len(value)
            pieces += [before, value]
            last = slot.end()
        pieces.append(case(self.text[last:]))
        return "".join(pieces), tuple(spans)

    def _case(self, writer: Writer) -> Callable[[str], str]:
        draw = writer.random.random()
        if draw < LOWER:
            return str.lower
        if draw < LOWER + UPPER and '"' not in self.text and "=" not in self.text:
            return str.upper
        return str


def read(name: str, language: str) -> Iterator[Template]:
    """The templates of one file, in its order.

    The group is the line and not its number, so that a line added above moves no other line between
    the splits.
    """
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        text = line.replace("\\n", "\n").replace("\\t", "\t")
        yield Template(text, f"pii/{line}", language)
