"""Selectors that predict from an artefact, which `tsr train-selector` writes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar

from pydantic import BaseModel

from orchestrator.config.problems import Finding
from orchestrator.contest.contenders import Contender
from orchestrator.contest.needs import NOTHING, Needs, Values
from orchestrator.contest.selector import SELECTORS, Selector
from orchestrator.contest.surroundings import Absent, Surroundings
from orchestrator.errors import ConfigError
from orchestrator.ranking.features import fitting
from orchestrator.ranking.trained import Predictor
from orchestrator.types import Plan


class Trained(Selector[None]):
    """Predicts from an artefact `<models_path>/<algorithm>_model.json`, read when it is built.

    Only candidates count: a model that the artefact prefers and the decision does not list is
    passed over, where the reference takes the first candidate. `models_path` stands in
    `global.router.model_selection.ml`. Without the file the first candidate answers.
    """

    kind: ClassVar[type[Predictor]]
    embeds = classifies = True
    needs = Needs(embedding=True, topic=True)

    def prepare(self, surroundings: Surroundings) -> None:
        self._absent = ""
        self._predictor: Predictor | None = None
        try:
            self._predictor = surroundings.predictor(self.method, self.kind)
        except Absent as error:
            self._absent, self.needs = str(error), NOTHING

    @classmethod
    def check(
        cls, contenders: Sequence[Contender], settings: BaseModel | None, around: Surroundings
    ) -> Iterator[Finding]:
        hint = "train one with `tsr train-selector`"
        try:
            names = around.predictor(SELECTORS.name_of(cls), cls.kind).names
        except Absent as error:
            said = f"{error}: the first candidate answers"
            yield Finding(("type",), said, hint, "warning")
            return
        except ConfigError as error:
            yield Finding(("type",), str(error), hint)
            return
        unknown = [one.candidate.name for one in contenders if _label(one, names) is None]
        if unknown:
            said = f"the artefact does not know {', '.join(map(repr, unknown))}: never chosen"
            yield Finding(("type",), said, f"it knows {', '.join(names)}", "warning")

    def choose(self, values: Values) -> Plan:
        if self._predictor is None:
            return self.first(self._absent)
        if values.embedding is None:
            return self.first(f"the request could not be embedded ({values.unread or 'not asked'})")
        wanted = self._predictor.dimension
        feature = fitting(values.embedding, values.topic, wanted)
        if feature is None:
            size = len(values.embedding)
            return self.first(f"trained on {wanted} numbers of a text, the encoder gives {size}")
        found = self._predictor.scores(feature)
        labels = [_label(one, found) for one in self.contenders]
        scores = [None if label is None else found[label] for label in labels]
        total = sum(found.values()) if self.kind.shares else None
        return self._best(scores, total)

    def _best(self, scores: Sequence[float | None], total: float | None) -> Plan:
        """`total` of all scores, where they are shares: one of 0 is then no reason to be chosen."""
        known = [(score, at) for at, score in enumerate(scores) if score is not None]
        if total is not None:
            known = [one for one in known if one[0] > 0]
        if not known:
            return self.first(f"{self.method} prefers none of the candidates", scores)
        score, position = max(known, key=lambda one: (one[0], -one[1]))
        confidence = None if total is None else score / total
        return self.picked(position, f"predicted, score {score:.3f}", scores, confidence)


def trained() -> dict[str, type[Predictor]]:
    """Each algorithm that is trained, by name, and what reads its artefact."""
    kinds = {name: SELECTORS[name] for name in SELECTORS.names()}
    return {name: kind.kind for name, kind in kinds.items() if issubclass(kind, Trained)}


def _label(contender: Contender, known: Collection[str]) -> str | None:
    """What the artefact calls the candidate: by what answers, or else by its model."""
    names = (contender.candidate.name, contender.candidate.model)
    return next((name for name in names if name in known), None)
