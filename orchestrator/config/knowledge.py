"""The manifest of a knowledge base: labels, each with examples (spec/signals.md 2.16)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from orchestrator.config.catalog import KnowledgeBase
from orchestrator.errors import ConfigError

MOST_BYTES = 16 * 2**20  # the largest policy file may have as many

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Part(BaseModel):
    """Unlike the policy itself, a manifest may say more than is read."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, hide_input_in_errors=True
    )


class Label(_Part):
    description: str | None = None
    exemplars: tuple[Words, ...] = Field(min_length=1)


class Manifest(_Part):
    version: str | None = None
    description: str | None = None
    labels: dict[Words, Label] = Field(min_length=1)


def manifest_path(base: KnowledgeBase, folders: Sequence[Path]) -> Path | None:
    """The manifest in the first of `folders` that has it; None where none does."""
    within = Path(base.source.path) / base.source.manifest
    candidates = [within] if within.is_absolute() or not folders else [f / within for f in folders]
    return next((path for path in candidates if path.is_file()), None)


def read_manifest(path: Path) -> Manifest:
    """Raises ConfigError that names the file and the place in it."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from None
    if len(raw) > MOST_BYTES:
        raise ConfigError(f"{path} is larger than {MOST_BYTES >> 20} MiB")
    try:
        return Manifest.model_validate_json(raw.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]
        )
        said = f"{place.removeprefix('.')}: {first['msg']}" if place else first["msg"]
        others = f" (and {len(more)} more)" if more else ""
        raise ConfigError(f"{path}: {said}{others}") from None
