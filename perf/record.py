"""Where figures go: one JSON file, each part of it with when, where and on what it was measured."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any


def ratio(left: Sequence[float], right: Sequence[float]) -> float:
    """The median over rounds, each of arms that ran close to each other."""
    return round(median(a / b for a, b in zip(left, right, strict=True)), 3)


def circumstances(rounds: int) -> dict[str, Any]:
    """To be asked for before measuring: it reads the load that others make."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(
        git if shutil.which("git") else ["true"], capture_output=True, text=True
    )
    names = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores",
        # Beyond 0.2, somebody else used the cores.
        "load average before": round(os.getloadavg()[0], 2),
        "rounds": rounds,
    }


def save(path: Path, part: str, figures: Mapping[str, Any]) -> None:
    """Replace one part of the file, and leave the others."""
    parts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    write(path, parts | {part: figures})


def write(path: Path, figures: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
