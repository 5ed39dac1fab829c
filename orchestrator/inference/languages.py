"""Which texts a task is not asked about: those in a language that it does not read well.

Of such a text the model says something all the same, and often surely; that the rules are unknown
leaves the policy its default. A language is named only where the detector is sure and the text is
long enough to tell: a text that is let through wrongly costs what every text did without the gate,
one that is kept out wrongly costs a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from orchestrator.matching.languages import Detector

# The reason, before the language: "unsupported_language:de".
UNSUPPORTED = "unsupported_language"

# Of the written English of build_engines/data (44,900 texts, many of them search terms and code),
# 0.2 % are refused. Of what is refused where English alone is read: Arabic 96 %, Japanese 92,
# Chinese 91, French 87, German 84, Spanish 79, Italian 76, Portuguese 75; the rest is too short, or
# the detector is not sure.
LEAST = 0.9
# Names and terms alone ("van der Waals constants") look like any language of Latin script.
FEWEST_WORDS, FEWEST_CHARACTERS = 4, 20
READ = 192  # characters in which words and scripts are counted

# Up to the first colon, on the first line; the colon of a time or of a URL has no space after it.
_ORDER = re.compile(r"\s*([^:\uff1a\n]{1,80})[:\uff1a]\s")
# A pair of quotation marks around more than a word; an apostrophe within a word opens none.
_QUOTED = re.compile(
    r"\"[^\"\n]{2,}\"|\u201c[^\u201d\n]{2,}\u201d|\u201e[^\u201c\u201d\n]{2,}[\u201c\u201d]|\u00ab[^\u00bb\n]{2,}\u00bb"
    r"|(?<!\w)'[^'\n]{2,}'(?!\w)|\u2018[^\u2019\n]{2,}\u2019|\u300c[^\u300d\n]{2,}\u300d"
)
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff5a]")
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2}")  # a letter alone is a symbol: alpha + beta in Greek


class Gate:
    """Of one task. `languages`: those that it reads."""

    def __init__(self, languages: Collection[str], detector: Detector) -> None:
        self._languages = frozenset(languages)
        self._detector = detector

    def refusal(self, text: str) -> str:
        """The reason code why the task is not asked about the text; empty where it is."""
        own = _own_words(text)
        guess = self._detector.detect(own)
        if guess is None or guess.probability < LEAST or guess.code in self._languages:
            return ""
        return f"{UNSUPPORTED}:{guess.code}" if _tells(own) else ""


def _own_words(text: str) -> str:
    """The text without what it quotes, and without what follows an order that ends in a colon.

    "Translate 'Guten Morgen, wie geht es dir?' to English" is an English text.
    """
    own = _QUOTED.sub(" ", text)
    order = _ORDER.match(own)
    return order[1] if order else own


def refused(reason: str) -> bool:
    """Whether a gate gave this reason."""
    return reason.startswith(UNSUPPORTED)


def _tells(text: str) -> bool:
    """Whether the text is long enough, or not in Latin script."""
    text = text.strip()[:READ]
    if len(text) >= FEWEST_CHARACTERS and len(text.split()) >= FEWEST_WORDS:
        return True
    latin, letters = len(_LATIN.findall(text)), len(_LETTERS.findall(text))
    return 2 * latin < letters and _WORD.search(text) is not None
