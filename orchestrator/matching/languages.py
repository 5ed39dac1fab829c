"""Which natural language a text is written in, offline.

A script that one language alone uses decides; otherwise py3langid does (langid.py's model: naive
Bayes over byte n-grams, 97 languages; Lui and Baldwin 2012). Only what is needed of it is
computed here: its own `classify` multiplies a dense matrix for every text, 0.2 ms.

A short text holds few n-grams that the model knows, "hola" none: there, frequent words count too.
One plain word that is in no list is mostly left without an answer.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from orchestrator.matching.commonwords import by_word
from orchestrator.matching.words import fold, words

# ISO 639-1, as the model names them.
CODES = tuple(
    """af am an ar as az be bg bn br bs ca cs cy da de dz el en eo es et eu fa fi fo fr ga gl gu he
    hi hr ht hu hy id is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mk ml mn mr ms mt nb ne nl
    nn no oc or pa pl ps pt qu ro ru rw se si sk sl sq sr sv sw ta te th tl tr ug uk ur vi vo wa xh
    zh zu""".split()
)
# Three slices of this many characters (head, middle, tail) are read of a longer text: more moves
# neither the answer nor, on long texts, a probability that is 1.0 already.
SLICE = 64
# Overlapping n-grams are no independent evidence, as naive Bayes takes them to be; dividing the
# log-odds keeps four English words from being Italian with 98 %.
TEMPERATURE = 2.0
# Up to this many characters frequent words are evidence: each multiplies the odds of its languages
# by e**4 (55), about as two of the model's n-grams do.
SHORT = 80
WORD_ODDS = 4.0
# One plain word that is in no list: names, loan words and jargon look like any language.
LONELY = 0.9
# A script decides when at least this share of the text's words is written in it.
MAJORITY = 0.5
# Japanese without kana is rare beyond a few words, Chinese with more than a quoted word too.
KANA = 0.1

# Language -> the letters that it alone uses (kana goes to Japanese, with the Han beside it), and
# how many of them at most make a word.
_LETTERS = {
    "kana": ("\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f", 1),
    "zh": ("\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", 1),
    "ko": ("\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", 1),
    "th": ("\u0e01-\u0e3a\u0e40-\u0e4e", 4),
    "lo": ("\u0e81-\u0ece", 4),
    "km": ("\u1780-\u17d3", 4),
    "el": ("\u0370-\u03ff\u1f00-\u1fff", 99),
    "hy": ("\u0531-\u058f", 99),
    "he": ("\u05d0-\u05ea", 99),
    "pa": ("\u0a01-\u0a76", 99),
    "gu": ("\u0a81-\u0aff", 99),
    "or": ("\u0b01-\u0b77", 99),
    "ta": ("\u0b82-\u0bfa", 99),
    "te": ("\u0c00-\u0c7f", 99),
    "kn": ("\u0c80-\u0cf3", 99),
    "ml": ("\u0d00-\u0d7f", 99),
    "si": ("\u0d81-\u0df4", 99),
    "ka": ("\u10a0-\u10ff\u1c90-\u1cbf", 99),
}
_OWN_SCRIPT = re.compile("[" + "".join(letters for letters, _ in _LETTERS.values()) + "]+")
_UNIT = re.compile(
    "|".join(f"(?P<{code}>[{letters}]{{1,{n}}})" for code, (letters, n) in _LETTERS.items())
    + r"|(?P<other>[^\W\d_]+)"
)


class Guess(NamedTuple):
    code: str  # one of CODES
    probability: float  # of all languages together 1; for a script, the share of words in it


class Detector:
    """Loads the model: 0.1 s, 28 MB."""

    def __init__(self) -> None:
        model = LanguageIdentifier.from_pickled_model(MODEL_FILE)
        self._next = model.tk_nextmove
        self._features = model.tk_output
        self._weights = model.nb_ptc
        self._priors = model.nb_pc
        self.codes: tuple[str, ...] = tuple(model.nb_classes)
        self._words = {
            word: [self.codes.index(code) for code in codes] for word, codes in by_word().items()
        }
        # Several families ask about the same text one after the other. One tuple, as threads do.
        self._last: tuple[str, Guess | None] = "", None

    def detect(self, text: str) -> Guess | None:
        """None: nothing in the text tells."""
        text = _sample(text.strip())
        last, guess = self._last
        if text != last:
            guess = self._guess(text)
            self._last = text, guess
        return guess

    def _guess(self, text: str) -> Guess | None:
        if text.isascii() or not _OWN_SCRIPT.search(text):
            return self._by_evidence(text)
        return _by_script(text) or self._by_evidence(_OWN_SCRIPT.sub(" ", text))

    def _by_evidence(self, text: str) -> Guess | None:
        ngrams = self._read(f" {text.lower() if text.isupper() else text} ")
        known = self._known(text) if len(text) <= SHORT else []
        if not ngrams and not known:
            return None
        odds = (self._weights[ngrams].sum(axis=0) + self._priors) / TEMPERATURE
        for languages in known:
            odds[languages] += WORD_ODDS
        shares = np.exp(odds - odds.max())
        best = int(shares.argmax())
        guess = Guess(self.codes[best], float(shares[best] / shares.sum()))
        lonely = text.isascii() and not known and len(text.split()) == 1
        return None if lonely and guess.probability < LONELY else guess

    def _known(self, text: str) -> list[list[int]]:
        """For every frequent word of the text, its languages."""
        return [self._words[word] for word in words(fold(text)) if word in self._words]

    def _read(self, text: str) -> list[int]:
        """N-grams of the model in the text, repeated as often as they occur."""
        follow, features = self._next, self._features
        state = 0
        found: list[int] = []
        for byte in text.encode("utf-8", "replace"):
            state = follow[(state << 8) + byte]
            if hits := features.get(state):
                found += hits
        return found


def _sample(text: str) -> str:
    if len(text) <= 3 * SLICE:
        return text
    middle = (len(text) - SLICE) // 2
    return " ".join((text[:SLICE], text[middle : middle + SLICE], text[-SLICE:]))


def _by_script(text: str) -> Guess | None:
    units = Counter(match.lastgroup or "" for match in _UNIT.finditer(text))
    total = units.total()
    kana, han = units.pop("kana", 0), units["zh"]
    if kana and kana >= KANA * (kana + han):
        units["ja"] = kana + units.pop("zh", 0)
    units.pop("other", 0)
    if not units:
        return None
    code, count = units.most_common(1)[0]
    share = count / total if total else 0.0
    return Guess(code, share) if share >= MAJORITY else None
