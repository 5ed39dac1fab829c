"""router_dc -- the candidate whose description is closest to the request (spec/algorithms.md 5.1).

After Chen et al., RouterDC (arXiv 2409.19886), without its training. Scores are the softmax of the
cosines over `temperature`; confidence is the cosine. The best cosine has to reach `min_similarity`;
a candidate without a description that can be read counts as reaching exactly that. See
`ranking/likeness.py` for what differs from the reference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel

from orchestrator.config.fields import NOT_RUN, Count, Strict, Unit
from orchestrator.config.problems import Finding
from orchestrator.ranking.likeness import Likeness, cosines_of, model_text
from orchestrator.ranking.scores import best, softmax
from orchestrator.selection import SELECTORS, Contender, Needs, Selector, Surroundings, Values
from orchestrator.types import Plan

HIGH = 0.5  # cosines of a request with a description of a model seldom go beyond


class Settings(Likeness, Strict):
    dimension_size: Annotated[Count, NOT_RUN] = 768
    """Of embeddings."""
    min_similarity: Unit = 0.3
    """Cosine below which the first candidate answers."""
    use_query_contrastive: Annotated[bool, NOT_RUN] = True
    """Of its training."""
    use_model_contrastive: Annotated[bool, NOT_RUN] = True
    """Of its training."""
    require_descriptions: bool = False
    """A candidate without a description is an error, not a warning."""


@SELECTORS.register("router_dc")
class RouterDc(Selector[Settings]):
    Settings = Settings
    embeds = True

    def prepare(self, surroundings: Surroundings) -> None:
        self._texts = [
            model_text(one.description, one.capabilities, self.settings.use_capabilities)
            for one in self.contenders
        ]
        described = tuple(dict.fromkeys(text for text in self._texts if text))
        self.needs = Needs(texts=described)

    @classmethod
    def check(
        cls, contenders: Sequence[Contender], settings: BaseModel | None, around: Surroundings
    ) -> Iterator[Finding]:
        assert isinstance(settings, Settings)
        for one in contenders:
            if not one.description:
                said = f"the model {one.candidate.name!r} has no description to compare with"
                hint = "describe it in routing.modelCards"
                yield Finding(
                    (), said, hint, "error" if settings.require_descriptions else "warning"
                )
        if settings.min_similarity > HIGH:
            said = (
                f"{settings.min_similarity:g} is a cosine here, which requests seldom reach: below"
                " it the first candidate answers"
            )
            place = ("router_dc", "min_similarity")
            yield Finding(place, said, "see the scores with `tsr explain`", "warning")

    def choose(self, values: Values) -> Plan:
        if not self.needs.texts:
            return self.first("no candidate has a description")
        floor = self.settings.min_similarity
        cosines = cosines_of(self._texts, values.cosines, floor)
        if cosines is None:
            return self.first(f"the request could not be embedded ({values.unread or 'not asked'})")
        read = [math.isfinite(values.cosines.get(text, math.nan)) for text in self._texts]
        if not any(read):
            return self.first("no description is in a script that the encoder reads")
        scores = softmax(cosines, self.settings.temperature)
        position = best(cosines)
        cosine = cosines[position]
        if cosine < floor:
            why = f"no description is close enough (cosine {cosine:.3f}, min_similarity {floor:g})"
            return self.first(why, scores)
        confidence = min(max(cosine, 0.0), 1.0)
        reason = f"closest description, cosine {cosine:.3f}"
        if not read[position]:
            has = "one that is not read" if self._texts[position] else "none"
            reason = f"no description comes to {floor:g}, and the model has {has}"
        return self.picked(position, reason, scores, confidence)
