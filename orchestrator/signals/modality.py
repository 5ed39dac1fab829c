"""modality -- is text, a picture or both asked for (spec/signals.md 2.12)."""

from __future__ import annotations

from typing import Literal

from orchestrator.signals import SIGNALS, Declared, Rule


class ModalityRule(Rule):
    """One row of routing.signals.modality: text (AR), picture (DIFFUSION) or both."""

    name: Literal["AR", "DIFFUSION", "BOTH"]


@SIGNALS.register("modality")
class Modality(Declared[ModalityRule]):
    Rule = ModalityRule
    section = "modality"
    results = "modality"
