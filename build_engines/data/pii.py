"""Texts with personal data, for the token task `pii`: templates filled with made-up values.

The conventions (what is labelled and what is not) are in the README beside this file. A template is
a group, so that a model is always tested on sentences it has not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from build_engines.data import Example
from build_engines.data.pii_long import bury
from build_engines.data.pii_templates import Template, read
from build_engines.data.pii_values import Writer
from orchestrator.signals.pii import TASK, Pii

LABELS = Pii.tasks[TASK]
LANGUAGES: Final = ("en", "es", "de", "fr", "zh", "ar", "ja")
# How often one template is filled. Fewer English fills of more templates beat the opposite.
FILLS: Final = {"en": 8}
FILLS_OTHER: Final = 5
FILLS_NEGATIVE: Final = 14  # of an English text with slots; one without is taken once
FILLS_NEGATIVE_OTHER: Final = 6
LONG: Final = 900
SEED: Final = 20_260_301


def examples() -> Iterator[Example]:
    """About 14,900 rows, the same each time (with the pinned Faker); no text occurs twice."""
    seen: set[str] = set()
    for example in _all():
        if example.text not in seen:
            seen.add(example.text)
            yield example


def _all() -> Iterator[Example]:
    writer = Writer(SEED)
    short: list[Example] = []
    for language in LANGUAGES:
        for template in read(language, language):
            for _ in range(FILLS.get(language, FILLS_OTHER)):
                short.append(_fill(template, writer))
    yield from short
    plain: list[Example] = []
    for language in LANGUAGES:
        for template in read(f"negative_{language}", language):
            fills = FILLS_NEGATIVE if language == "en" else FILLS_NEGATIVE_OTHER
            for _ in range(fills if template.has_slots else 1):
                plain.append(_fill(template, writer))
    yield from plain
    yield from bury(short, plain, LONG, Random(SEED))


def _fill(template: Template, writer: Writer) -> Example:
    text, spans = template.fill(writer)
    return Example(
        text=text,
        label="",
        source="generated" if template.has_slots else "written",
        group=template.group,
        language=template.language,
        kind="positive" if spans else "negative",
        spans=spans,
    )
