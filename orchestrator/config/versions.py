"""Earlier texts of a policy file, in a folder beside it.

`.vllm-sr/config-backups/router.20261130T074435.123456Z-1a2b3c4d5e6f.yaml` is what `router.yaml`
said until that moment (UTC), by the first digits of its SHA-256. Files are as readable as the
policy file, the folder is its owner's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.config.load import digest_of, text_of
from orchestrator.config.writing import write_file
from orchestrator.errors import NotWritten

FOLDER = Path(".vllm-sr") / "config-backups"
KEPT = 10
STAMP = "%Y%m%dT%H%M%S.%fZ"
DIGITS = 12

_ID = re.compile(r"(?P<at>\d{8}T\d{6}\.\d{6}Z)-(?P<digest>[0-9a-f]{12})")


@dataclass(frozen=True, slots=True)
class Version:
    id: str
    replaced: datetime  # UTC; until then it was in force, or in the file
    digest: str  # the first digits of its SHA-256
    path: Path


def _now() -> datetime:
    return datetime.now(UTC)


class Versions:
    """The earlier texts of the policy file `path`; the newest `kept` stay. Not for two at once."""

    def __init__(self, path: Path, kept: int = KEPT, now: Callable[[], datetime] = _now) -> None:
        self._path = path
        self._folder = path.parent / FOLDER  # beside the name it is known by, not a link's target
        self._kept = kept
        self._now = now

    def keep(self, text: str) -> Version:
        """Raises NotWritten where it cannot be written. What is the newest already is not kept
        twice.
        """
        digest, versions = digest_of(text)[:DIGITS], self.all()
        if versions and versions[0].digest == digest:
            return versions[0]
        at = self._now()
        made = self._version(f"{at.strftime(STAMP)}-{digest}")
        if made is None:
            raise AssertionError("what we write we can read")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise NotWritten(f"cannot make {self._folder}: {error.strerror or error}") from None
        write_file(made.path, text, like=self._path)
        for old in self.all()[self._kept :]:
            with suppress(OSError):  # it is one too many; the next time may succeed
                old.path.unlink(missing_ok=True)
        return made

    def write(self, text: str) -> None:
        """Into the policy file itself. Raises NotWritten where it cannot be written."""
        write_file(self._path, text)

    def all(self) -> tuple[Version, ...]:
        """The newest first."""
        stem, suffix = self._path.stem, self._path.suffix
        try:
            names = [entry.name for entry in self._folder.iterdir()]
        except OSError:
            return ()
        ids = (
            name.removeprefix(f"{stem}.").removesuffix(suffix)
            for name in names
            if name.startswith(f"{stem}.") and name.endswith(suffix)
        )
        found = [version for one in ids if (version := self._version(one))]
        return tuple(sorted(found, key=lambda version: version.id, reverse=True))

    def text(self, version_id: str) -> str | None:
        """None where there is no such version. Raises ConfigError where it cannot be read."""
        known = {version.id: version for version in self.all()}
        return text_of(known[version_id].path) if version_id in known else None

    def _version(self, version_id: str) -> Version | None:
        match = _ID.fullmatch(version_id)
        if match is None:
            return None
        try:
            at = datetime.strptime(match["at"], STAMP).replace(tzinfo=UTC)
        except ValueError:
            return None
        name = f"{self._path.stem}.{version_id}{self._path.suffix}"
        return Version(version_id, at, match["digest"], self._folder / name)
