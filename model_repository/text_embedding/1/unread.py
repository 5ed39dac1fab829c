"""How much of a text a vocabulary cannot spell: its words become one and the same token.

Of two texts in a script that the vocabulary lacks a network says the same, whatever they say.
Knows neither the network nor Triton.
"""

import json

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

Mask = npt.NDArray[np.bool_]

# Characters without the spaces. A sentence of another script is hidden in a long text by what
# stands around it, not in so short a stretch of it; a word or a name is less than half of it.
STRETCH = 32
# Of an ideograph that is unread, beside any other character: each is a word, and those around it
# are read. Of 23 attacks that trained nothing with 60 % or more unread, nearly all of them Chinese,
# the guard found 15, and it took 6 of 211 harmless texts for attacks (2026-11).
IDEOGRAPH = 0.5


def unknown_token(tokenizer: Tokenizer) -> int | None:
    """What stands for a word that cannot be spelled; None where the model names nothing for it.

    WordPiece, BPE and WordLevel name a token; Unigram names the place of one in its vocabulary.
    """
    token = getattr(tokenizer.model, "unk_token", None)
    if token is None:
        model = json.loads(tokenizer.to_str())["model"]
        place = model.get("unk_id")
        token = None if place is None else model["vocab"][place][0]
    return None if token is None else tokenizer.token_to_id(token)


def unread(text: str, encoding: Encoding, unknown: int) -> tuple[float, float]:
    """Which share of `text` is unread, and the greatest share of any stretch of it; 0 to 1.

    By characters: of words, punctuation and symbols, but neither spaces nor what a tokenizer drops
    (marks on letters, controls). `encoding`: with offsets, without special tokens. A stretch counts
    words alone that ASCII cannot write and that are no ideographs: a key or a link that is too long
    for a word is unread too, but in no other script. The second share is no less than the first.
    """
    if not encoding.ids:
        return (1.0, 1.0) if text.strip() else (0.0, 0.0)
    if unknown not in encoding.ids:
        return 0.0, 0.0
    tokens = list(zip(encoding.ids, encoding.offsets, strict=True))
    words = [place for one, place in tokens if one == unknown]
    signs = [(a, b) for a, b in words if b == a + 1 and text[a].isalpha()]
    ascii_words = [(a, b) for a, b in words if text[a:b].isascii()]
    size = len(text)
    lost = _covered(size, words)
    counted = lost | _covered(size, [place for one, place in tokens if one != unknown])
    single = _covered(size, signs)
    weight = np.where(single, IDEOGRAPH, lost.astype(np.float64))
    share = float(weight.sum() / counted.sum())
    foreign = lost & ~single & ~_covered(size, ascii_words)
    return share, max(share, _densest(foreign[counted]))


def _covered(length: int, places: list[tuple[int, int]]) -> Mask:
    edges = np.zeros(length + 1, np.int32)
    if places:
        starts, stops = np.array(places).T
        np.add.at(edges, starts, 1)
        np.add.at(edges, stops, -1)
    return np.asarray(edges[:-1].cumsum() > 0)


def _densest(lost: Mask) -> float:
    """The greatest share of STRETCH neighbours; a shorter text counts as if it went on."""
    sums = np.concatenate([[0], lost.cumsum()])
    last = sums[min(STRETCH, len(lost)) :]
    return float((last - sums[: len(last)]).max() / STRETCH)
