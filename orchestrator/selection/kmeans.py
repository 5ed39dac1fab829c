"""kmeans -- the model that did best in the request's cluster (spec/algorithms.md 5.1).

Scores are distances to the nearest cluster of each model, negative.
See `Trained` for the artefact.
"""

from __future__ import annotations

from orchestrator.ranking import trained
from orchestrator.selection import SELECTORS, Trained


@SELECTORS.register("kmeans")
class Kmeans(Trained):
    kind = trained.Kmeans
