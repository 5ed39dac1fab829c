"""One difference between two policy files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from orchestrator.changes.values import FieldChange, jsonable

Kind = Literal["added", "removed", "changed", "renamed"]


@dataclass(frozen=True, slots=True)
class Change:
    """`what` is a decision, signal, projection, model, entrypoint, recipe or setting.

    A thing that was renamed has its old name in `was`. `touches` are the decisions of the recipe
    that rest on it (of a model, of any recipe: `recipe/decision`). `recipe` is empty for what all
    recipes share.
    """

    kind: Kind
    what: str
    name: str
    recipe: str = ""
    was: str = ""
    fields: tuple[FieldChange, ...] = ()
    touches: tuple[str, ...] = ()
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "what": self.what,
            "name": self.name,
            "recipe": self.recipe,
            "was": self.was,
            "fields": [
                {"path": field.path, "old": jsonable(field.old), "new": jsonable(field.new)}
                for field in self.fields
            ],
            "touches": list(self.touches),
            "note": self.note,
        }
