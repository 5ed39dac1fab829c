"""The code that Triton serves, imported into this process.

Models have modules of the same names (`encoder.py`), so that none stays importable afterwards.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

REPOSITORY = Path(__file__).parent.parent / "model_repository"


def modules(model: str, *names: str) -> list[ModuleType]:
    """Of version 1 of a model."""
    folder = str(REPOSITORY / model / "1")
    known = frozenset(sys.modules)
    sys.path.insert(0, folder)
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(folder)
        for name in frozenset(sys.modules) - known:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(folder):
                del sys.modules[name]


def settings(
    model: str, places: Sequence[str] = ("configs/cpu.pbtxt", "config.pbtxt")
) -> dict[str, str]:
    """The parameters in its config for CPUs."""
    path = next(
        REPOSITORY / model / place for place in places if (REPOSITORY / model / place).is_file()
    )
    return dict(
        re.findall(r'key: "(\w+)".*string_value: "([^"]*)"', path.read_text(encoding="utf-8"))
    )
