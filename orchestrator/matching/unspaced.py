"""The words of an English sentence that is written without spaces, found by those that are common.

Not all of its words need be known: what lies between known ones is left in one piece.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from orchestrator.matching.commonwords import LISTS

# Of English prompts: frequent words, and those of instructions to a model, good or bad.
WORDS = frozenset(
    f"""{LISTS["en"]}
    above accept according act acting address after again against agree all allow also always am an
    and any anything are around ask asked asking assistant avoid away back bad be because become
    been before begin behave being below between both break build bypass call called chat chatbot
    city code come command commands complete comply confidential configuration content context copy
    could create current data day days developer did different disable disregard does done down
    during each earlier else enable end enough enter error ethical even ever every everything
    exactly example execute explain false few file filter filters find first follow following food
    forget found free full function general get given gives go going good great guidelines had hard
    her here hidden high him his home house human idea ignore ignored ignoring imagine important
    include including information initial input instead instruction instructions internal into its
    itself just keep key kind know known language large last let life like limit limits line list
    little live long look made main make man many may mean message messages might mind mode model
    moment money moral more most move much must name need never new next no nobody none nothing now
    number obey of off old once one only open order orders original other our out output over
    override own part password passwords people permission person place plain play policies policy
    possible pretend previous previously print prior private problem program programming prompt
    prompts provide public put question questions read real really refuse remember remove repeat
    reply reset respond response restriction restrictions return reveal right role room root rule
    rules run safe safety said same say school script second secret secrets security see send
    sentence set share short simple simulate since small some someone something speak special start
    state stay step still stop story such system take talk task tell text than that their them then
    there these thing things think those three through time told translate true truth try two under
    until up upon us use used user users using verbatim version very want water week whatever
    whenever whether while whole will without word words work world wrong year years yes yet
    yourself
    """.split()
) - frozenset("bcdefghjklmnopqrstuvwxyz")
UNKNOWN = 1.5  # the price of a letter of no word; a word is cheaper, and the shorter the less so
PRICES = {1: 1.45, 2: 2.4, 3: 1.8}
OTHERS = 1.0
ENDING = 3  # letters by which words are found


def _lengths() -> dict[str, tuple[int, ...]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    for word in WORDS:
        found[word[-ENDING:]].add(len(word))
    return {ending: tuple(sorted(lengths)) for ending, lengths in found.items()}


_LENGTHS = _lengths()  # of words, by how they end


def apart(word: str) -> list[tuple[str, bool]]:
    """The parts of a `word` of letters, in order, and which of them are words. Those are chosen
    that cover most of it with the fewest. Time is linear in its length."""
    low = word.lower()
    if len(low) != len(word):  # "İ" is two characters in lower case
        low = word
    prices, starts = [0.0], [-1]  # up to there; start of the word that ends there, or -1
    for end in range(1, len(low) + 1):
        price, start = prices[-1] + UNKNOWN, -1
        for letters in range(1, min(ENDING, end) + 1):
            for length in _LENGTHS.get(low[end - letters : end], ()):
                if length <= end and low[end - length : end] in WORDS:
                    other = prices[end - length] + PRICES.get(length, OTHERS)
                    if other < price:
                        price, start = other, end - length
        prices.append(price)
        starts.append(start)
    return [*_united(word, starts)]


def _united(word: str, starts: Sequence[int]) -> Iterator[tuple[str, bool]]:
    """Letters of no word beside each other are one part."""
    cuts: list[tuple[int, int, bool]] = []
    end = len(word)
    while end:
        known = starts[end] >= 0
        start = starts[end] if known else end - 1
        stop = end if known or not cuts or cuts[-1][2] else cuts.pop()[1]
        cuts.append((start, stop, known))
        end = start
    return ((word[start:stop], known) for start, stop, known in reversed(cuts))
