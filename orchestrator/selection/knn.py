"""knn -- the model that did best on the most similar requests (spec/algorithms.md 5.1).

Each of the k nearest training requests votes for its model, by quality (0.9) and speed (0.1).
See `Trained` for the artefact.
"""

from __future__ import annotations

from orchestrator.ranking import trained
from orchestrator.selection import SELECTORS, Trained


@SELECTORS.register("knn")
class Knn(Trained):
    kind = trained.Knn
