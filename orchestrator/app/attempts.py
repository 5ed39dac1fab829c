"""What became of each attempt to put another policy in force: the log, the metrics and `/ready`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from orchestrator.errors import ConfigError, Problem
from orchestrator.server.policy_file import Checked
from orchestrator.telemetry import Telemetry

SHOWN = 20  # problems; the log has all

logger = logging.getLogger("tsr")


@dataclass(frozen=True, slots=True)
class Attempt:
    outcome: str  # applied, unchanged, refused (the policy's fault), failed (not the policy's)
    trigger: str
    at: datetime
    message: str = ""
    problems: tuple[Problem, ...] = ()

    def report(self) -> dict[str, Any]:
        told: dict[str, Any] = {"outcome": self.outcome, "trigger": self.trigger}
        told["at"] = _stamp(self.at)
        if self.message:
            told["message"] = self.message
        if self.problems:
            told["problems"] = [asdict(problem) for problem in self.problems[:SHOWN]]
            told["total_problems"] = len(self.problems)
        return told


class Attempts:
    """`troubled`: the file says something else than what is in force, since it was refused."""

    def __init__(
        self, telemetry: Telemetry, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._telemetry = telemetry
        self._now = now
        self._since = now()
        self._generation = 0
        self._last: Attempt | None = None
        self._gone = False
        self.in_force = Checked("")
        self.troubled = False

    def started(self, digest: str, restart: Sequence[Problem]) -> None:
        """The first policy came into force."""
        self._since, self._generation = self._now(), 1
        self.in_force = Checked(digest, restart=tuple(restart))

    def done(self, trigger: str, outcome: str, checked: Checked) -> None:
        self.troubled = False
        self.found()
        if outcome == "applied":
            self._since = self._now()
            self._generation += 1
            self.in_force = checked
            for warning in (*checked.warnings, *checked.restart):
                logger.warning("%s", warning)
        logger.info("policy %s is in force (%s: %s)", checked.digest[:12], trigger, outcome)
        self._note(Attempt(outcome, trigger, self._now()))

    def refused(self, trigger: str, error: ConfigError, lasting: bool = True) -> None:
        """`lasting`: the file stays different from what is in force."""
        logger.error("the old policy stays in force (%s): %s", trigger, error)
        message = str(error).splitlines()[0]
        self._note(Attempt("refused", trigger, self._now(), message, error.problems), lasting)

    def failed(self, trigger: str, message: str, lasting: bool = True) -> None:
        logger.error("the old policy stays in force (%s): %s", trigger, message)
        self._note(Attempt("failed", trigger, self._now(), message), lasting)

    def gone(self, trigger: str, message: str) -> None:
        """The file is not there. What is in force serves on; nobody's policy is at fault."""
        self._gone = True
        logger.warning(
            "the policy file is gone, the old policy stays in force (%s): %s", trigger, message
        )
        self._note(Attempt("failed", trigger, self._now(), message), lasting=True)

    def found(self) -> None:
        """The file is there, whatever it says."""
        if self._gone:
            self._gone = False
            logger.warning("the policy file is there again")

    def report(self) -> dict[str, Any]:
        """For `/ready`; without secrets, as problems are."""
        told: dict[str, Any] = {
            "hash": self.in_force.digest,
            "generation": self._generation,
            "loaded_at": _stamp(self._since),
            "file": "gone" if self._gone else "not_in_force" if self.troubled else "in_force",
        }
        if self.in_force.restart:
            told["restart_required"] = [problem.path for problem in self.in_force.restart]
        if self._last is not None:
            told["last_reload"] = self._last.report()
        return told

    def _note(self, attempt: Attempt, lasting: bool = False) -> None:
        self._last = attempt
        self.troubled = self.troubled or lasting
        self._telemetry.reloaded(attempt.outcome, not self.troubled)


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
