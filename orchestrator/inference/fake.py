"""Scripted answers, for unit tests only."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from orchestrator.errors import ImageRefused, InferenceError
from orchestrator.inference import Classification, Embeddings, Entity, Seen
from orchestrator.inference.unreadable import MOST

Scripted = Mapping[str, Mapping[str, float] | Sequence[Entity]]  # task -> its answer


class FakeInference:
    """Answers with what it was given; `failure` is raised instead.

    `vectors` are normalised. `classified` holds for each text, and each task of it, the
    probabilities by label or the entities; a text or a task that it lacks is a KeyError. Texts in
    `cut` are answered as truncated; `unreadable` are the shares of texts of which a part is not
    read, of the text and of a stretch of it. `names` are the labels of each task; without them,
    those that the scripted probabilities and entities use. `knows` are the languages of each task.

    `pictures` are the vectors of pictures; their `known` is 1 where nothing is scripted, and
    `floor` that of all. A picture in `refused` is an ImageRefused with that reason.

    `calls` records what was embedded: (model, texts). `asked` records what was classified:
    (model, texts, tasks). `looked` records what was seen: (model, pictures).
    """

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        failure: InferenceError | None = None,
        classified: Mapping[str, Scripted] | None = None,
        *,
        cut: Collection[str] = (),
        unreadable: Mapping[str, tuple[float, float]] | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        knows: Mapping[str, Sequence[str]] | None = None,
        pictures: Mapping[bytes, Sequence[float]] | None = None,
        known: Mapping[bytes, float] | None = None,
        floor: float = 0.5,
        refused: Mapping[bytes, str] | None = None,
    ) -> None:
        self.vectors = dict(vectors or {})
        self.failure = failure
        self.classified = dict(classified or {})
        self.cut = frozenset(cut)
        self.unreadable = dict(unreadable or {})
        self.names = names
        self.knows = dict(knows or {})
        self.pictures = dict(pictures or {})
        self.known = dict(known or {})
        self.floor = floor
        self.refused = dict(refused or {})
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        self.looked: list[tuple[str, tuple[bytes, ...]]] = []

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        self.calls.append((model, tuple(texts)))
        if self.failure is not None:
            raise self.failure
        rows = _normalised([self.vectors[text] for text in texts])
        rows[[self.unreadable.get(text, (0.0, 0.0))[0] >= MOST for text in texts]] = np.nan
        return rows

    async def classify(
        self, model: str, texts: Sequence[str], tasks: Collection[str]
    ) -> list[Classification]:
        self.asked.append((model, tuple(texts), tuple(tasks)))
        if self.failure is not None:
            raise self.failure
        return [self._classification(text, tasks) for text in texts]

    async def see(self, model: str, pictures: Sequence[bytes]) -> Seen:
        self.looked.append((model, tuple(pictures)))
        if self.failure is not None:
            raise self.failure
        for picture in pictures:
            if picture in self.refused:
                raise ImageRefused(self.refused[picture])
        known = np.array([self.known.get(picture, 1.0) for picture in pictures], np.float32)
        return Seen(_normalised([self.pictures[one] for one in pictures]), known, self.floor)

    def labels(self, model: str) -> Mapping[str, tuple[str, ...]]:
        if self.names is not None:
            return {task: tuple(labels) for task, labels in self.names.items()}
        found: dict[str, dict[str, None]] = {}
        for scripted in self.classified.values():
            for task, answer in scripted.items():
                found.setdefault(task, {}).update(dict.fromkeys(_labels(answer)))
        return {task: tuple(labels) for task, labels in found.items()}

    def languages(self, model: str) -> Mapping[str, tuple[str, ...]]:
        return {task: tuple(languages) for task, languages in self.knows.items()}

    def _classification(self, text: str, tasks: Collection[str]) -> Classification:
        answers = {task: self.classified[text][task] for task in tasks}
        return Classification(
            {task: dict(one) for task, one in answers.items() if isinstance(one, Mapping)},
            {task: tuple(one) for task, one in answers.items() if not isinstance(one, Mapping)},
            1,
            text in self.cut,
            *self.unreadable.get(text, (0.0, 0.0)),
        )


def _normalised(vectors: Sequence[Sequence[float]]) -> Embeddings:
    rows = np.array(vectors, dtype=np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _labels(answer: Mapping[str, float] | Sequence[Entity]) -> list[str]:
    return list(answer) if isinstance(answer, Mapping) else [one.label for one in answer]
