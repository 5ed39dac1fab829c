"""Which threshold of a policy decides upon the answers of a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.config.settings import Global
from orchestrator.signals import SIGNALS

KEYS = ("threshold", "confidence_threshold")  # of a family's settings


@dataclass(frozen=True, slots=True)
class Served:
    """`path` under `global`, key included. Without a value the family has one of its own."""

    path: tuple[str, ...]
    value: float | None


def served(settings: Global) -> dict[str, Served]:
    """Task -> its threshold. A rule of the policy may have another of its own. The extensions
    must have been discovered."""
    found: dict[str, Served] = {}
    for name in SIGNALS.names():
        family = SIGNALS[name]
        block: Any = settings.model_dump()
        for step in family.settings:
            block = block[step]
        keys = [key for key in KEYS if family.settings and key in block]
        if keys:
            one = Served((*family.settings, keys[0]), _number(block, keys[0]))
            found |= dict.fromkeys(family.tasks, one)
    return found


def _number(block: Mapping[str, Any], key: str) -> float | None:
    return None if block[key] is None else float(block[key])
