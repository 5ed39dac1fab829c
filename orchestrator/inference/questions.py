"""How signals ask the text classifier: a topic of a sample, a danger of every piece.

Whatever is asked of it is asked before anything else is awaited: questions of the same moment
travel as one request (`Inference.classify`). The pieces of a long text are asked a few at a time
(`pacing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orchestrator.errors import UnreadableText
from orchestrator.inference import Classification, Inference
from orchestrator.inference.pacing import little_by_little
from orchestrator.inference.unreadable import illegible, partly_illegible, refusal
from orchestrator.matching.packs import Place, packed
from orchestrator.matching.pieces import MOST_BYTES, MOST_READ, Cut, Piece, pieces, together
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

# Why a guard that has found nothing does not know: a part of what it should read was not read.
TEXT_CUT = "text_cut"  # of the current text
HISTORY_NOT_READ = "history_not_read"
UNREAD = frozenset({TEXT_CUT, HISTORY_NOT_READ, UnreadableText.code})


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

    @property
    def illegible(self) -> frozenset[int]:
        """Where pieces start of which some is in no script that the model reads."""
        return frozenset(part.start for part in self.parts if partly_illegible(part.said))


async def topic(inference: Inference, text: str, task: str, *, always: bool = False) -> Topic:
    """One sequence task of a text, or of a sample where it is long. Raises InferenceError: one is
    UnreadableText, unless the answer is wanted `always`."""
    asked, cut = sample(text, MOST_BYTES)
    (said,) = await inference.classify(TEXT_SIGNALS, [asked], (task,))
    if illegible(said) and not always:
        raise refusal(TEXT_SIGNALS)
    return Topic(said.probabilities[task], cut or said.truncated)


def contents(request: Request, *, history: bool) -> tuple[str, ...]:
    """The texts that a guard reads: the current one first; with `history`, then the system
    prompt, the answers and the user's earlier texts, each by itself."""
    return (request.text, *((*request.non_user_texts, *request.prior_user_texts) * history))


def cuts(texts: Sequence[str]) -> tuple[Cut, ...]:
    """As much of the first text as of all others together, MOST_READ bytes each."""
    return (pieces(texts[0], most_read=MOST_READ), *together(texts[1:]))


def unread(cut: Sequence[bool], illegible: Sequence[bool] = (), *, history: bool) -> str | None:
    """Why the absence of what is looked for is not known, if it is not. `cut` says of each of
    `contents` whether a part of it was not read, `illegible` whether one cannot be."""
    if any(illegible[: None if history else 1]):
        return UnreadableText.code
    if any(cut[:1]):
        return TEXT_CUT
    return HISTORY_NOT_READ if history and any(cut[1:]) else None


async def ask(
    inference: Inference,
    texts: Sequence[Cut],
    tasks: Collection[str],
    enough: Callable[[Classification], bool] = lambda _: False,
    *,
    chat: bool = False,
) -> tuple[Answer, ...]:
    """All `tasks` of every piece of several texts. Raises InferenceError.

    Once what is said of a piece is `enough`, the pieces of that text that are left are not asked.
    `chat`: the texts are `contents`, and of a very long history short ones are asked together
    (`packed`): what is said of all is said of each.
    """
    places = _places(texts, chat=chat)
    owners: dict[str, set[int]] = {}
    for at, cut in enumerate(texts):
        for piece in cut.pieces:
            owners.setdefault(places[piece.text].text, set()).add(at)
    settled: set[int] = set()

    async def read(few: list[str]) -> list[Classification]:
        answers = await inference.classify(TEXT_SIGNALS, few, tasks)
        settled.update(*(owners[t] for t, one in zip(few, answers, strict=True) if enough(one)))
        return answers

    said = await little_by_little(owners, read, lambda text: not owners[text] <= settled)
    short = [text for text, one in said.items() if one.truncated and not owners[text] <= settled]
    again = {text: cut for text in short if len((cut := pieces(text, SURE_BYTES)).pieces) > 1}
    if again:
        smaller = [part.text for cut in again.values() for part in cut.pieces]
        said |= await little_by_little(
            smaller, lambda few: inference.classify(TEXT_SIGNALS, few, tasks)
        )
    return tuple(_answer(cut, said, again, places) for cut in texts)


def _places(texts: Sequence[Cut], *, chat: bool) -> dict[str, Place]:
    """The current text by itself: there are rules that read nothing else."""
    alone = texts[:1] if chat else texts
    own = {piece.text: Place(piece.text) for cut in alone for piece in cut.pieces}
    others = (piece.text for cut in texts[len(alone) :] for piece in cut.pieces)
    return own | packed(text for text in others if text not in own)


def _answer(
    cut: Cut,
    said: Mapping[str, Classification],
    again: Mapping[str, Cut],
    places: Mapping[str, Place],
) -> Answer:
    found = [part for one in cut.pieces for part in _parts(one, places[one.text], said, again)]
    return Answer(tuple(found), cut.truncated or any(part.said.truncated for part in found))


def _parts(
    piece: Piece, place: Place, said: Mapping[str, Classification], again: Mapping[str, Cut]
) -> Iterator[Part]:
    """None of what was not needed."""
    if place.shared:
        if (one := said.get(place.text)) is not None:
            stop = piece.start + len(piece.text)
            yield Part(piece.start, stop, _within(one, place.start, len(piece.text)))
        return
    for small in again[piece.text].pieces if piece.text in again else (Piece(0, piece.text),):
        if (one := said.get(small.text)) is not None:
            start = piece.start + small.start
            yield Part(start, start + len(small.text), one)


def _within(said: Classification, start: int, length: int) -> Classification:
    """With the entities that touch one of the texts that were asked together, in its positions."""
    return replace(
        said,
        entities={
            task: tuple(
                replace(one, start=max(0, one.start - start), stop=min(length, one.stop - start))
                for one in found
                if one.start < start + length and one.stop > start
            )
            for task, found in said.entities.items()
        },
    )
