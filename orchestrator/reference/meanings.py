"""What a key is for: the string below its field, read from the source of the model.

Pydantic can do the same at import, which would take 60 ms of every start (measured 2026-11).
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping

from pydantic import BaseModel


class Meanings:
    """Reads each source once."""

    def __init__(self) -> None:
        self._read: dict[str, Mapping[tuple[str, str], str]] = {}

    def of(self, model: type[BaseModel], field: str) -> str:
        """Of the model, or of one that it is made from; empty where none says anything."""
        for kind in model.__mro__[: model.__mro__.index(BaseModel)]:
            said = self._module(kind.__module__).get((kind.__name__, field))
            if said:
                return said
        return model.model_fields[field].description or ""

    def _module(self, name: str) -> Mapping[tuple[str, str], str]:
        if name not in self._read:
            self._read[name] = dict(_strings(inspect.getsource(sys.modules[name])))
        return self._read[name]


def _strings(source: str) -> Iterator[tuple[tuple[str, str], str]]:
    for kind in ast.parse(source).body:
        if not isinstance(kind, ast.ClassDef):
            continue
        for field, after in zip(kind.body, kind.body[1:], strict=False):
            match field, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(said))),
                ):
                    yield (kind.name, name), " ".join(said.split())
