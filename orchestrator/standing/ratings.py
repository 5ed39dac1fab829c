"""What outcomes teach about models: Elo ratings, and running means of good and bad.

Elo, The Rating of Chessplayers (1978); constants of spec/algorithms.md 5.1 (hybrid, automix).
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.types import EMPTY

UNRATED = 1500.0  # of a model whose card has no quality score
K = 32.0  # most points that one comparison moves
ALONE = 0.1  # of K, where only one side is named
RATE = 0.1  # weight of the newest outcome in a running mean
QUALITY, VERIFIED = 0.8, 0.7  # where the means begin
MOST = 4_096  # ratings, and means, that are kept; the one judged least recently goes first


class Experience:
    def __init__(self, qualities: Mapping[str, float] = EMPTY) -> None:
        self._qualities = dict(qualities)
        self._ratings: dict[tuple[str, str], float] = {}  # (decision or "", model) -> rating
        self._means: dict[str, tuple[float, float]] = {}  # model -> (share of the start, learned)

    def know(self, qualities: Mapping[str, float]) -> None:
        self._qualities = dict(qualities)

    def judged(self, decision: str, winner: str | None, loser: str | None) -> None:
        if winner == loser:
            raise ValueError("an outcome names a winner, a loser, or two different models")
        # The decision first: its rating begins where the one of all decisions stood before.
        for scope in dict.fromkeys((decision, "")):
            self._rate(scope, winner, loser)
        for model, outcome in ((winner, 1.0), (loser, 0.0)):
            if model is not None:
                self._learn(model, outcome)

    def rating(self, model: str, decision: str = "") -> float:
        """Of the decision where the model was judged there, or else of all decisions."""
        own = self._ratings.get((decision, model))
        return own if own is not None else self._ratings.get(("", model), self._start(model))

    def quality(self, model: str) -> float:
        """The card's score, or 0.8, moved by the outcomes."""
        share, learned = self._means.get(model, (1.0, 0.0))
        return share * self._qualities.get(model, QUALITY) + learned

    def verified(self, model: str) -> float:
        share, learned = self._means.get(model, (1.0, 0.0))
        return share * VERIFIED + learned

    def _start(self, model: str) -> float:
        quality = self._qualities.get(model)
        return UNRATED if quality is None else 1000 + 1000 * quality

    def _rate(self, scope: str, winner: str | None, loser: str | None) -> None:
        gain = K * ALONE
        if winner is not None and loser is not None:
            lead = self.rating(loser, scope) - self.rating(winner, scope)
            gain = K * (1 - 1 / (1 + 10 ** (lead / 400)))
        for model, points in ((winner, gain), (loser, -gain)):
            if model is not None:
                rating = self.rating(model, scope) + points
                self._ratings.pop((scope, model), None)  # to the end of the order
                self._ratings[scope, model] = rating
        while len(self._ratings) > MOST:
            del self._ratings[next(iter(self._ratings))]

    def _learn(self, model: str, outcome: float) -> None:
        share, learned = self._means.pop(model, (1.0, 0.0))
        self._means[model] = (share * (1 - RATE), learned * (1 - RATE) + outcome * RATE)
        while len(self._means) > MOST:
            del self._means[next(iter(self._means))]
