"""How signals ask the text classifier: a topic of a sample, a danger of every piece.

Whatever is asked of it is asked before anything else is awaited: questions of the same moment
travel as one request (`Inference.classify`). The pieces of a long text are asked a few at a time
(`pacing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.inference import Classification, Inference
from orchestrator.inference.pacing import little_by_little
from orchestrator.matching.pieces import (
    MOST_BYTES,
    MOST_READ,
    OVERLAP,
    Cut,
    Piece,
    pieces,
    together,
)
from orchestrator.matching.samples import sample
from orchestrator.types import Request

# Names in model_repository/.
TEXT_SIGNALS = "text_signals"
IMAGE_SIGNALS = "image_signals"  # sees pictures
IMAGE_TEXT = "image_text_embedding"  # embeds texts to compare with pictures
IMAGE_MODELS = (IMAGE_SIGNALS, IMAGE_TEXT)

# A piece that the model could not read whole is asked again in parts so small that it can: it
# reads 3,584 tokens (16 windows of 254, 32 shared), and a byte of UTF-8 is at most one token.
SURE_BYTES = 3_500


@dataclass(frozen=True, slots=True)
class Topic:
    """`truncated`: of a sample of the text."""

    probabilities: Mapping[str, float]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Part:
    """What the model said of one piece, which begins at `start` of its text."""

    start: int
    stop: int
    said: Classification


@dataclass(frozen=True, slots=True)
class Answer:
    """What it said of one text, by position; nothing of a blank one, and of the pieces that were
    not needed."""

    parts: tuple[Part, ...]
    truncated: bool


async def topic(inference: Inference, text: str, task: str) -> Topic:
    """One sequence task of a text, or of a sample where it is long. Raises InferenceError."""
    asked, cut = sample(text, MOST_BYTES)
    (said,) = await inference.classify(TEXT_SIGNALS, [asked], (task,))
    return Topic(said.probabilities[task], cut or said.truncated)


def contents(request: Request, *, history: bool) -> tuple[str, ...]:
    """The texts that a guard reads: the current one first; with `history`, then the system
    prompt, the answers and the user's earlier texts, each by itself."""
    return (request.text, *((*request.non_user_texts, *request.prior_user_texts) * history))


def cuts(texts: Sequence[str]) -> tuple[Cut, ...]:
    """As much of the first text as of all others together, MOST_READ bytes each."""
    return (pieces(texts[0], most_read=MOST_READ), *together(texts[1:]))


def more_pieces(texts: Sequence[str]) -> int:
    """How many times MOST_BYTES `cuts` gives beyond the first, about; at most 34."""
    first, *others = (min(_size(text), MOST_READ) for text in texts)
    return (first + min(sum(others), MOST_READ)) // (MOST_BYTES - OVERLAP)


async def ask(
    inference: Inference,
    texts: Sequence[Cut],
    tasks: Collection[str],
    enough: Callable[[Classification], bool] = lambda _: False,
) -> tuple[Answer, ...]:
    """All `tasks` of every piece of several texts. Raises InferenceError.

    Once what is said of a piece is `enough`, the pieces of that text that are left are not asked.
    """
    owners: dict[str, set[int]] = {}
    for at, cut in enumerate(texts):
        for piece in cut.pieces:
            owners.setdefault(piece.text, set()).add(at)
    settled: set[int] = set()

    async def read(few: list[str]) -> list[Classification]:
        answers = await inference.classify(TEXT_SIGNALS, few, tasks)
        settled.update(*(owners[t] for t, one in zip(few, answers, strict=True) if enough(one)))
        return answers

    said = await little_by_little(owners, read, lambda text: not owners[text] <= settled)
    unread = [text for text, one in said.items() if one.truncated and not owners[text] <= settled]
    again = {text: cut for text in unread if len((cut := pieces(text, SURE_BYTES)).pieces) > 1}
    if again:
        smaller = [part.text for cut in again.values() for part in cut.pieces]
        said |= await little_by_little(
            smaller, lambda few: inference.classify(TEXT_SIGNALS, few, tasks)
        )
    return tuple(_answer(cut, said, again) for cut in texts)


def _answer(cut: Cut, said: Mapping[str, Classification], again: Mapping[str, Cut]) -> Answer:
    parts: list[Part] = []
    truncated = cut.truncated
    for piece in cut.pieces:
        for small in _smaller(piece, again):
            if (one := said.get(small.text)) is None:
                continue  # not needed
            parts.append(Part(small.start, small.start + len(small.text), one))
            truncated = truncated or one.truncated
    return Answer(tuple(parts), truncated)


def _smaller(piece: Piece, again: Mapping[str, Cut]) -> Iterator[Piece]:
    if piece.text not in again:
        yield piece
        return
    for part in again[piece.text].pieces:
        yield Piece(piece.start + part.start, part.text)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
