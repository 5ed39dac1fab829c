"""What a trained selector is worth: every fifth request is kept apart, and asked afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from orchestrator.errors import ConfigError
from orchestrator.ranking.trained import Predictor
from orchestrator.training.fitting import fit, trained_kind
from orchestrator.training.outcomes import Lesson

EVERY = 5


@dataclass(frozen=True, slots=True)
class Trial:
    """Mean qualities, 0 to 1, over the `requests` kept apart, of models that were tried with all.

    `chosen` is the selector's, `single` that of the one model `name` that is best over the requests
    learned from, `highest` what the best choice each time would give.
    """

    requests: int
    chosen: float
    single: float
    highest: float
    name: str


def held(some: Sequence[Lesson]) -> tuple[list[Lesson], list[Lesson]]:
    """To learn from, and kept apart; by the text alone, so that a longer file keeps its split."""
    kept = [one for one in some if _hash(one.query) % EVERY == 0]
    return [one for one in some if _hash(one.query) % EVERY], kept


def trial(algorithm: str, some: Sequence[Lesson]) -> Trial | None:
    """None where too little is left to say anything. Raises what `fit` raises, save ConfigError."""
    models = {one.model for lesson in some for one in lesson.outcomes}
    learned, kept = held([one for one in some if set(one.qualities()) == models])
    if not learned or not kept:
        return None
    try:
        predictor = trained_kind(algorithm)(fit(algorithm, learned).document)
    except ConfigError:
        return None
    name = max(sorted(models), key=lambda model: _mean([one.qualities()[model] for one in learned]))
    return Trial(
        len(kept),
        _mean([one.qualities()[_choice(predictor, one)] for one in kept]),
        _mean([one.qualities()[name] for one in kept]),
        _mean([max(one.qualities().values()) for one in kept]),
        name,
    )


def _choice(predictor: Predictor, lesson: Lesson) -> str:
    scores = predictor.scores(lesson.feature)
    return max(scores, key=scores.__getitem__)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=4).digest(), "big")
