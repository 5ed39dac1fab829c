"""mlp -- the model that a small network finds most likely to do best (spec/algorithms.md 5.1).

Scores are probabilities. See `Trained` for the artefact.
"""

from __future__ import annotations

from orchestrator.ranking import trained
from orchestrator.selection import SELECTORS, Trained


@SELECTORS.register("mlp")
class Mlp(Trained):
    kind = trained.Mlp
