"""Long texts: one short text far inside paragraphs that hold no personal data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from build_engines.data import Example, Span, Split
from build_engines.data.pii_templates import FOLDER
from build_engines.data.splits import drawn

WORDS: Final = (300, 900)
PARAGRAPHS: Final = ("\n\n", "\n", " ")
# The lines of the file that each split draws upon. Texts that share most of their paragraphs count
# as near-duplicates, and would tie the groups of all splits together.
OWN: Final[dict[Split, slice]] = {
    "train": slice(0, 24),
    "validation": slice(24, 38),
    "test": slice(38, 52),
}


def bury(
    short: Sequence[Example], plain: Sequence[Example], count: int, random: Random
) -> Iterator[Example]:
    """`count` texts of 300-900 words; one in ten has nothing inside. The group is the one of the
    short text, so that it stays on the same side of a split."""
    filler = (FOLDER / "filler_en.txt").read_text(encoding="utf-8").splitlines()
    english = [row for row in short if row.language == "en"]
    other = [row for row in plain if row.language == "en" and len(row.text) > 40]
    for number in range(count):
        core = random.choice(other if number % 10 == 0 else english)
        before, after = _around(filler[OWN[drawn(core.group)]], random)
        gap = random.choice(PARAGRAPHS)
        head = gap.join(before) + gap if before else ""
        tail = gap + gap.join(after) if after else ""
        spans = tuple(Span(s.start + len(head), s.stop + len(head), s.label) for s in core.spans)
        yield replace(core, text=head + core.text + tail, spans=spans, kind=f"long {core.kind}")


def _around(filler: Sequence[str], random: Random) -> tuple[list[str], list[str]]:
    """Paragraphs before and after; more before than after, as the far end is what gets lost."""
    want = random.randint(*WORDS)
    chosen: list[str] = []
    have = 0
    for paragraph in random.sample(filler, len(filler)):
        if have >= want:
            break
        chosen.append(paragraph)
        have += len(paragraph.split())
    cut = round(len(chosen) * random.triangular(0, 1, 0.8))
    return chosen[:cut], chosen[cut:]
