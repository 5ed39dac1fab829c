"""svm -- the model on whose side of every boundary the request lies (spec/algorithms.md 5.1).

Scores are votes, one for each other model that is beaten. See `Trained` for the artefact.
"""

from __future__ import annotations

from orchestrator.ranking import trained
from orchestrator.selection import SELECTORS, Trained


@SELECTORS.register("svm")
class Svm(Trained):
    kind = trained.Svm
