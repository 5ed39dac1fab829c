"""The same texts in other clothes: inside long ones, with words around them, spelt carelessly.

Attacks and benign texts get the same treatment, so that neither length nor an ending nor odd
capitals say anything about the label.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from build_engines.data import Example, Span, Split

# Words around a text: of several windows, and of one. Within one an attack is harder to see: of the
# others, which hold nothing of it, a model learns at least that.
LONG = (200, 900)
INSIDE = (50, 170)
WORDS = 10  # that are put before or after a text
# Of each label. Together they stay under 30 % of all rows (a test counts them).
COUNTS = {"long": 600, "inside": 1500, "appended": 700, "prepended": 350, "careless": 350}
# Harmless words are taken from benign texts that have none of these.
LOADED = re.compile(
    r"ignor|jailbreak|prompt|instruct|bypass|overrid|system|\brules?\b|restrict|guideline|hack|inject"
    r"|attack|malicious|exploit|filter|policy|policies|safety|secur|pretend|role.?play|\bAI\b",
    re.IGNORECASE,
)
Pools = dict[tuple[str, Split | None], list[str]]


@dataclass(frozen=True, slots=True)
class Harmless:
    """Benign sentences by language and split: a text is only dressed in words of its own split."""

    pools: Pools

    def of(self, seed: Example) -> list[str]:
        return self.pools.get((seed.language, seed.split), [])


def disguised(rows: Sequence[Example]) -> Iterator[Example]:
    """Variants of some of the rows, each in its seed's group and split, which every row must have.

    Attacks without a loaded word ("Share your setup") give none: they are attacks only while
    nothing else is said.
    """
    harmless = Harmless(_pools(rows))
    for kind, dress in DRESSES.items():
        for label in sorted({row.label for row in rows}):
            usable = [
                row
                for row in rows
                if row.label == label
                and (label == "benign" or row.source == "written" or LOADED.search(row.text))
                and len(harmless.of(row)) >= 20
                and len(row.text) < 1500
                and (kind not in BURIED or row.language == "en")
            ]
            for seed in _chosen(usable, kind, COUNTS[kind]):
                chance = random.Random(f"{kind}:{seed.group}")
                text = dress(seed.text, harmless.of(seed), chance)
                made = replace(seed, text=text, source="generated", kind=kind)
                if kind in BURIED and label != "benign":
                    start = text.index(seed.text)
                    made = replace(made, spans=(Span(start, start + len(seed.text), label),))
                yield made


def _chosen(rows: Sequence[Example], purpose: str, count: int) -> list[Example]:
    """Half written texts, half corpora, so that the many do not hide the varied; spread by hash."""

    def rank(row: Example) -> bytes:
        return hashlib.sha256(f"{purpose}:{row.group}".encode()).digest()

    written = sorted((row for row in rows if row.source == "written"), key=rank)[: count // 2]
    others = sorted((row for row in rows if row.source != "written"), key=rank)
    return [*written, *others[: count - len(written)]]


def _pools(rows: Sequence[Example]) -> Pools:
    pools: Pools = defaultdict(list)
    for row in rows:
        sentence = row.label == "benign" and 20 <= len(row.text) <= 400
        if sentence and not LOADED.search(row.text):
            pools[row.language, row.split].append(" ".join(row.text.split()))
    return dict(pools)


def _buried(words: tuple[int, int], text: str, pool: Sequence[str], chance: random.Random) -> str:
    """The text at the start, in the middle or at the end of so many words of benign sentences."""
    size = chance.randint(*words)
    sentences: list[str] = []
    while sum(len(sentence.split()) for sentence in sentences) < size:
        sentence = chance.choice(pool)
        sentences.append(sentence if sentence[-1] in ".?!" else f"{sentence}.")
    place = chance.choice([0, chance.randint(0, len(sentences)), len(sentences)])
    sentences.insert(place, text)
    breaks = chance.choice([("\n\n", " "), ("\n", " "), ("\n- ", "\n- "), (" ", " ")])
    out = sentences[0]
    for sentence in sentences[1:]:
        out += breaks[chance.random() < 0.8] + sentence
    return out


def _harmless_words(pool: Sequence[str], chance: random.Random) -> str:
    """Ten words: from one sentence and the next, or drawn from anywhere."""
    if chance.random() < 0.5:
        words: list[str] = []
        while len(words) < WORDS:
            words.extend(chance.choice(pool).split())
        return " ".join(words[:WORDS])
    return " ".join(
        chance.choice(chance.choice(pool).split()).strip(".,?!'\"").lower() for _ in range(WORDS)
    )


def _appended(text: str, pool: Sequence[str], chance: random.Random) -> str:
    return text + chance.choice([" ", ". ", "\n", "\n\n"]) + _harmless_words(pool, chance)


def _prepended(text: str, pool: Sequence[str], chance: random.Random) -> str:
    return _harmless_words(pool, chance) + chance.choice([" ", ". ", "\n", "\n\n"]) + text


def _careless(text: str, _pool: Sequence[str], chance: random.Random) -> str:
    return chance.choice(SPELLINGS)(text, chance)


def _typos(text: str, chance: random.Random) -> str:
    letters = list(text)
    for at in range(1, len(letters) - 1):
        if letters[at].isalpha() and letters[at + 1].isalpha() and chance.random() < 0.04:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def _mixed(text: str, chance: random.Random) -> str:
    return "".join(c.upper() if chance.random() < 0.5 else c.lower() for c in text)


def _spaced(text: str, chance: random.Random) -> str:
    return re.sub(r" ", lambda _: " " * chance.choice([1, 1, 2, 3]), text)


def _shouted(text: str, chance: random.Random) -> str:
    return text.upper().rstrip(".?!") + "!" * chance.randint(0, 3)


def _lazy(text: str, _chance: random.Random) -> str:
    return re.sub(r"[.,;:?!'\"]", "", text).lower()


SPELLINGS: tuple[Callable[[str, random.Random], str], ...] = (
    _typos,
    _mixed,
    _spaced,
    _shouted,
    _lazy,
)
DRESSES: dict[str, Callable[[str, Sequence[str], random.Random], str]] = {
    "long": partial(_buried, LONG),
    "inside": partial(_buried, INSIDE),
    "appended": _appended,
    "prepended": _prepended,
    "careless": _careless,
}
BURIED = ("long", "inside")
