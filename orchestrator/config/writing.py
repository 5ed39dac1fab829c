"""A file replaced so that nobody ever reads half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from orchestrator.errors import NotWritten

PRIVATE, PUBLIC = 0o600, 0o644


def write_file(path: Path, text: str, like: Path | None = None, mode: int = PRIVATE) -> None:
    """Replace (or make) the file at `path`, through a symbolic link where it is one.

    Mode and, where we may, owner stay those of the file that was there, or are those of `like`;
    where there is none of them, the mode is `mode`.
    Raises NotWritten where it cannot be written; what was there is there still.
    """
    target = path.resolve()
    try:
        _replace(target, text.encode(), like or target, mode)
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {error.strerror or error}") from None


def _replace(target: Path, data: bytes, like: Path, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            _same_rights(file.fileno(), like, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.replace(name, target)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            _overwrite(target, data)  # a file that is itself a mount, as containers like to have
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
    _flush_folder(target.parent)


def _same_rights(descriptor: int, like: Path, mode: int) -> None:
    try:
        there = like.stat()
    except FileNotFoundError:
        os.fchmod(descriptor, mode)
        return
    with contextlib.suppress(PermissionError):  # only root gives files away
        os.fchown(descriptor, there.st_uid, there.st_gid)
    os.fchmod(descriptor, there.st_mode & 0o777)


def _overwrite(target: Path, data: bytes) -> None:
    with target.open("r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # not every file system can
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
