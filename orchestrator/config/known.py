"""Which keys a model knows at a place inside it, for "did you mean"."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

NoneType = type(None)


def keys_at(model: type[BaseModel], loc: Sequence[str | int]) -> tuple[str, ...]:
    """YAML keys of the model that `loc` leads to; empty where the content is opaque."""
    here: Any = model
    for step in loc:
        here = _step(_plain(here), step)
    here = _plain(here)
    return _keys(here) if _is_model(here) else ()


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _is_model(kind: Any) -> bool:  # noqa: ANN401 - any annotation
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _plain(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """Without Annotated and Optional."""
    while True:
        origin = get_origin(kind)
        if origin is Annotated:
            kind = get_args(kind)[0]
        elif origin in (Union, types.UnionType):
            kind = next(arg for arg in get_args(kind) if arg is not NoneType)
        else:
            return kind


def _step(kind: Any, step: str | int) -> Any:  # noqa: ANN401 - any annotation
    if _is_model(kind):
        for name, field in kind.model_fields.items():
            if step in (name, field.alias):
                return field.annotation
        return None
    origin, args = get_origin(kind), get_args(kind)
    if origin in (tuple, list) and args:
        return args[0]
    if origin is dict:
        return args[1]
    return None
