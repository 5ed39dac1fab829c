"""Rules that cannot be judged: which they are, and why, down to the leaves that decisions name."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from orchestrator.errors import InferenceError, InferenceTimeout, RequestError
from orchestrator.signals import Signal
from orchestrator.types import Reading

logger = logging.getLogger(__name__)

CRASHED = "error"  # reason codes beside those of InferenceError
NOT_RUN = "not_run"


class Unknowns:
    """Keeps nothing of a request.

    `refusing` are the families that may refuse one. `not_run` says what the rules that this
    version does not run come to.
    """

    def __init__(
        self,
        signals: Mapping[str, Signal[Any]],
        refusing: Collection[str],
        not_run: Literal["no_match", "unknown"],
    ) -> None:
        self._rules = {f: tuple(r.name for r in signal.rules) for f, signal in signals.items()}
        self._leaves = {family: signal.leaves(signal.rules) for family, signal in signals.items()}
        self._refusing = frozenset(refusing)
        idle = (
            {f: signal.not_run() for f, signal in signals.items()} if not_run == "unknown" else {}
        )
        self._idle = {
            family: self._spread(family, dict.fromkeys(rules, NOT_RUN))
            for family, rules in idle.items()
            if rules
        }

    def idle(self, families: Collection[str]) -> dict[str, Reading]:
        """Readings of those of `families` that have rules which are not run."""
        return {f: Reading(unknown=why) for f, why in self._idle.items() if f in families}

    def failed(self, family: str, error: Exception) -> Reading:
        """Every rule of the family unknown; what refuses the request is raised again."""
        match error:
            case RequestError():
                if family in self._refusing:
                    raise error
                return Reading()
            case InferenceError():
                reason = error.code
            case TimeoutError():
                reason = InferenceTimeout.code
            case _:
                reason = CRASHED
                log(family, error)
        return Reading(unknown=dict.fromkeys(self._rules[family], reason))

    def complete(self, family: str, reading: Reading) -> Reading:
        """With rules that are unknown spread to the leaves that decisions name."""
        idle = self._idle.get(family)
        if not reading.unknown and not idle:
            return reading
        unknown = self._spread(family, reading.unknown)
        return replace(reading, unknown={**(idle or {}), **unknown})

    def _spread(self, family: str, unknown: Mapping[str, str]) -> dict[str, str]:
        leaves = self._leaves[family]
        spread = {leaf: unknown[rule] for leaf, rule in leaves.items() if rule in unknown}
        return {**unknown, **spread}


def log(family: str, error: Exception) -> None:
    """Messages may quote the prompt, so none is logged."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?"
    logger.error("signal %s: %s at %s", family, type(error).__name__, place)
