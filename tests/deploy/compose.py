"""docker-compose.yml as data. Its anchors and merge keys are YAML's own, so no engine is needed."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent
PROFILES = ("demo", "cpu", "gpu")
DOCKERFILES = sorted((ROOT / "docker").glob("*.Dockerfile"))


@cache
def document() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def services() -> dict[str, Any]:
    return document()["services"]


def of(profile: str) -> dict[str, Any]:
    return {name: one for name, one in services().items() if profile in one["profiles"]}


def aliases(name: str, service: dict[str, Any]) -> set[str]:
    """The host names under which others reach it."""
    networks = service.get("networks", {})
    return {name, *(a for one in networks.values() for a in one.get("aliases", []))}


def built(path: Path) -> list[str]:
    """The images that a Dockerfile starts from, its own stages left out."""
    rows = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", path.read_text(), re.MULTILINE)
    stages = {stage for _, stage in rows}
    return [image for image, _ in rows if image not in stages]


def copied(path: Path) -> list[str]:
    """What a Dockerfile copies from the checkout."""
    rows = re.findall(r"^COPY ((?!--from).+)$", path.read_text(), re.MULTILINE)
    return [p for row in rows for p in row.split()[:-1] if not p.startswith("--")]
