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

LABELS: tuple[str, ...] = (
    "AGE",
    "CREDIT_CARD",
    "DATE_TIME",
    "DOMAIN_NAME",
    "EMAIL_ADDRESS",
    "GPE",
    "IBAN_CODE",
    "IP_ADDRESS",
    "NRP",
    "ORGANIZATION",
    "PERSON",
    "PHONE_NUMBER",
    "STREET_ADDRESS",
    "TITLE",
    "US_DRIVER_LICENSE",
    "US_SSN",
    "ZIP_CODE",
)
LANGUAGES: Final = ("en", "es", "de", "fr", "zh", "ar", "ja")
# How often one template is filled. Fewer English fills of more templates beat the opposite.
FILLS: Final = {"en": 19}
FILLS_OTHER: Final = 20
FILLS_NEGATIVE: Final = 14  # of a text with slots; one without is taken once
LONG: Final = 900
SEED: Final = 20_260_301


def examples() -> Iterator[Example]:
    """About 12,000 rows, the same each time (with the pinned Faker); no text occurs twice."""
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
            for _ in range(FILLS_NEGATIVE if template.has_slots else 1):
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
