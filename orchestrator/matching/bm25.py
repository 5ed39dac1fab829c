"""Keywords as documents, the text as the query (spec/signals.md 2.1, method bm25).

Okapi BM25 with k1 1.2 and b 0.75 over the keywords of one rule; score = sum over the text's
tokens, repeats counted. Tokens: accents off, lower case, words as Unicode segments them, English
function words out, English Snowball stems. Runs of a script without spaces become their pairs of
characters, the usual choice for such text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from threading import Lock

import Stemmer

from orchestrator.matching.stopwords import ENGLISH
from orchestrator.matching.words import MARKS, UNSPACED, is_unspaced

DEFAULT_THRESHOLD = 0.1
K1 = 1.2
B = 0.75

# Letters that have no accent to take off. ASCII folding of the reference's tokenizer.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i"}
    | {"’": "'", "‘": "'"}
)
_ACCENT = re.compile("[\u0300-\u036f]")
# Unicode word segmentation (UAX 29), as far as it matters for keywords: "don't" and "3.14" are
# one word, "e-mail" is two.
_JOINT = r"(?:(?<=[^\W\d_])['.:·](?=[^\W\d_])|(?<=\d)[.,;'](?=\d))"
_SPACED = rf"(?:[^\W{UNSPACED}]|[{MARKS}])+"
_WORD = re.compile(rf"[{UNSPACED}]+|{_SPACED}(?:{_JOINT}{_SPACED})*")
# What may hold words, cut roughly and fast: each distinct piece is then cut exactly, once.
_PIECE = re.compile(rf"[\w{MARKS}'’‘.:·,;]+")


class Bm25:
    """Which of the keywords of several rules score enough."""

    def __init__(self, rules: Sequence[tuple[Sequence[str], float]]) -> None:
        """Pairs of keywords and threshold (0: the default); keywords are numbered through all."""
        self._stemmer = Stemmer.Stemmer("english")
        self._one_at_a_time = Lock()  # a stemmer works in a buffer of its own
        self._thresholds: list[float] = []
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for keywords, threshold in rules:
            self._add([self.tokens(keyword) for keyword in keywords], len(self._thresholds))
            self._thresholds += [threshold or DEFAULT_THRESHOLD] * len(keywords)

    def tokens(self, text: str) -> Counter[str]:
        """Stems and how often each occurs."""
        tokens: Counter[str] = Counter()
        for piece, count in Counter(_PIECE.findall(text.lower())).items():
            simple = piece.isascii() and piece.isalnum()
            for word in [piece] if simple else _WORD.findall(_plain(piece)):
                for token in self._stems(word):
                    tokens[token] += count
        return tokens

    def _stems(self, word: str) -> Sequence[str]:
        if is_unspaced(word):
            return [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        if word in ENGLISH:
            return ()
        with self._one_at_a_time:
            return (self._stemmer.stemWord(word),)

    def scores(self, text: str) -> dict[int, float]:
        """Score of every keyword that shares a token with the text."""
        scores: dict[int, float] = {}
        for token, count in self.tokens(text).items():
            for index, weight in self._postings.get(token, ()):
                scores[index] = scores.get(index, 0.0) + count * weight
        return scores

    def found(self, text: str) -> list[int]:
        """Numbers of the keywords that reach their threshold."""
        return [i for i, score in self.scores(text).items() if score >= self._thresholds[i]]

    def _add(self, documents: Sequence[Counter[str]], offset: int) -> None:
        lengths = [document.total() for document in documents]
        average = sum(lengths) / len(lengths) if sum(lengths) else 1.0
        holders = Counter(token for document in documents for token in document)
        for index, (document, length) in enumerate(zip(documents, lengths, strict=True)):
            for token, count in document.items():
                n = holders[token]
                rarity = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
                damped = count + K1 * (1 - B + B * length / average)
                weight = rarity * count * (K1 + 1) / damped
                self._postings.setdefault(token, []).append((offset + index, weight))


def _plain(text: str) -> str:
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).lower().translate(_PLAIN)
