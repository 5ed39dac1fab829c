"""What else of the policy selectors depend on, and the trained models that it names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.errors import ConfigError
from orchestrator.ranking.trained import Predictor, load
from orchestrator.types import EMPTY

SHARED = "ml"  # the block of global.router.model_selection that all trained algorithms share


class Absent(ConfigError):
    """Nobody has trained the selector yet."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else of the policy selectors depend on. `defaults` are the blocks of
    `global.router.model_selection` by algorithm; relative paths are looked for in `folders`;
    `served` are the models that have backends.
    """

    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: EMPTY)
    folders: tuple[Path, ...] = ()
    served: frozenset[str] = frozenset()
    _read: dict[Path, Predictor | str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # or what is wrong with it

    def artefact(self, method: str) -> Path:
        """Where the trained model of `method` lies. Raises Absent where there is none."""
        where = self.defaults.get(SHARED, {}).get("models_path")
        if not isinstance(where, str) or not where:
            place = f"global.router.model_selection.{SHARED}.models_path"
            raise Absent(f"{method} needs a trained model: {place} is not set")
        tried = [folder / where for folder in self.folders] or [Path(where)]
        for folder in tried:
            if (found := folder / f"{method}_model.json").is_file():
                return found
        raise Absent(f"no file {tried[0] / f'{method}_model.json'}, which {method} needs")

    def predictor(self, method: str, kind: type[Predictor]) -> Predictor:
        """The trained model of `method`, read once for all decisions. Raises Absent where there is
        none, ConfigError where it cannot be read.
        """
        path = self.artefact(method)
        if path not in self._read:
            try:
                self._read[path] = load(path, kind, method)
            except ConfigError as error:
                self._read[path] = str(error)
        found = self._read[path]
        if isinstance(found, str):
            raise ConfigError(found)
        return found
