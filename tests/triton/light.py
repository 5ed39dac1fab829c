"""The published repository for tests that do not ask whether its models are right.

Fewer goldens to compare at each start and after each fault, and as many processes of a model as
the test needs: a start takes a third of the time.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from orchestrator.inference.repository import default_repository
from tests.processes import ROOT

ONE_OF = 8  # goldens


def write(folder: Path, processes: int = 1) -> Path:
    """In a new folder `folder`/models; what is not changed is a link to what is published."""
    target = folder / "models"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(
        default_repository(), target, symlinks=True, copy_function=_link, ignore=ignored
    )
    for path in target.glob("*/goldens.json"):
        _rewrite(path, json.dumps(fewer(json.loads(path.read_text(encoding="utf-8")))))
    place = 'key: "package" value { string_value: "'  # where the router's own package is
    for path in target.rglob("*.pbtxt"):
        text = path.read_text().replace("KIND_CPU count: 2", f"KIND_CPU count: {processes}")
        _rewrite(path, text.replace(place, f"{place}{ROOT}"))
    return target


def fewer(goldens: dict[str, Any]) -> dict[str, Any]:
    """With every eighth text or picture: each list of as many rows as there are is cut."""
    count = len(goldens["embeddings"])

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: cut(one) for name, one in value.items()}
        return value[::ONE_OF] if isinstance(value, list) and len(value) == count else value

    return {name: cut(value) for name, value in goldens.items()}


def _link(source: str, target: str) -> None:
    Path(target).symlink_to(source)


def _rewrite(path: Path, text: str) -> None:
    """As a file of its own."""
    path.unlink()
    path.write_text(text, encoding="utf-8")
