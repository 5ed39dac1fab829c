"""A folder of pictures: which of its files, and by what names."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from orchestrator.errors import ConfigError

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif")


def files(folder: Path, named: Collection[str] = ()) -> dict[str, Path]:
    """Name -> file, by name: every file that is called a picture, and those in `named`.

    A name is the path from `folder`, with slashes. What lies in hidden folders is left out. Raises
    ConfigError where there is no such folder, or no picture in it.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder")
    found = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        name = place.as_posix()
        called = path.suffix.lower() in SUFFIXES or name in named
        if called and path.is_file() and not any(part.startswith(".") for part in place.parts):
            found[name] = path
    if not found:
        kinds = ", ".join(suffix.removeprefix(".") for suffix in SUFFIXES)
        raise ConfigError(f"{folder} has no picture ({kinds})")
    return found
