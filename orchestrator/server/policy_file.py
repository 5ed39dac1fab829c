"""What the config endpoints need of the policy in force; `app/reloading.py` gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from orchestrator.config.versions import Version
from orchestrator.errors import Problem

Edit = Callable[[str], str]  # the text of the document in force -> the new one


@dataclass(frozen=True, slots=True)
class Held:
    """The document in force: with its secrets."""

    text: str
    digest: str  # SHA-256 of `text`, in hexadecimal


@dataclass(frozen=True, slots=True)
class Checked:
    """A document that can be used."""

    digest: str
    warnings: tuple[Problem, ...] = ()
    restart: tuple[Problem, ...] = ()  # what of it waits for a restart


@dataclass(frozen=True, slots=True)
class Changed:
    outcome: Literal["applied", "unchanged"]
    checked: Checked
    version: str | None = None  # what was in force before, see config/versions.py


class PolicyFile(Protocol):
    def held(self) -> Held: ...

    async def check(self, edit: Edit) -> Checked:
        """Raises ConfigError with every problem, and what `edit` raises."""
        ...

    async def change(self, edit: Edit, agreed: Callable[[str], None], why: str) -> Changed:
        """Once it returns, the new policy is in force and in the file.

        `agreed` gets the digest in force and raises where the caller has not seen it. Raises
        what `check` raises, and NotReloaded; then the old policy is in force.
        """
        ...

    def versions(self) -> tuple[Version, ...]: ...

    def version(self, version_id: str) -> str | None:
        """Its text, or None where there is none. Raises ConfigError where it cannot be read."""
        ...
