"""Values of a configuration as plain data, and where two of them differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, SecretStr

_KEYS = ("name", "type", "model", "kind")  # what tells the items of a list apart
_USERINFO = re.compile(r"[^/@\s:]+:[^/@\s]+@")
HIDDEN = "(secret)"
LISTED = 8  # members of a list that are shown


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One value. `path` starts at what changed; None stands for "not there"."""

    path: str
    old: Any
    new: Any

    def __str__(self) -> str:
        added, removed = _members(self.old, self.new), _members(self.new, self.old)
        if added is None or removed is None or not (added or removed):
            hidden = isinstance(self.old, SecretStr) and isinstance(self.new, SecretStr)
            after = "(another secret)" if hidden else shown(self.new)
            return f"{self.path}: {shown(self.old)} -> {after}"
        parts = [f"+ {_few(added)}"] if added else []
        parts += [f"- {_few(removed)}"] if removed else []
        return f"{self.path}: {' '.join(parts)}"


def plain(value: Any) -> Any:  # noqa: ANN401 - a field of any type
    """Models as dicts with every default filled in, so that saying a default changes nothing.

    Secrets stay SecretStr: they compare by what they hold and show nothing.
    """
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        return {field.alias or name: plain(getattr(value, name)) for name, field in fields.items()}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one) for one in value), key=repr)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def differences(old: Any, new: Any, path: str = "") -> Iterator[FieldChange]:  # noqa: ANN401
    """Between two plain values; items of lists are paired by their names where they have some.

    The order of keys is nothing; the order of a list is told once, as `path (order)`.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))
        return
    before, after = _by_key(old), _by_key(new)
    if before is not None and after is not None and (before or after):
        for key in dict.fromkeys((*before, *after)):
            yield from differences(before.get(key), after.get(key), f"{path}[{key}]")
        kept = [key for key in before if key in after]
        if kept != [key for key in after if key in before]:
            yield FieldChange(f"{path} (order)", [*before], [*after])
    elif old != new and not (_empty(old) and _empty(new)):
        yield FieldChange(path, old, new)


def shown(value: Any) -> str:  # noqa: ANN401
    """The value as YAML would have it on one line, cut to 160 characters, without passwords."""
    if value is None or isinstance(value, SecretStr):
        return "nothing" if value is None else HIDDEN
    text = (
        value
        if isinstance(value, str) and value
        else json.dumps(jsonable(_given(value)), ensure_ascii=False)
    )
    text = _USERINFO.sub("***@", text)
    return text if len(text) <= 160 else text[:157] + "..."


def jsonable(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, SecretStr):
        return HIDDEN
    if isinstance(value, dict):
        return {key: jsonable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [jsonable(one) for one in value]
    if isinstance(value, str):
        return _USERINFO.sub("***@", value)
    return value if isinstance(value, int | float | None) else str(value)


def _few(members: Sequence[Any]) -> str:
    more = f" and {len(members) - LISTED} more" if len(members) > LISTED else ""
    return ", ".join(map(shown, members[:LISTED])) + more


def _given(value: Any) -> Any:  # noqa: ANN401
    """Without what is not there, at any depth."""
    if isinstance(value, dict):
        return {key: _given(one) for key, one in value.items() if not _empty(one)}
    return [_given(one) for one in value] if isinstance(value, list) else value


def _empty(value: object) -> bool:
    return value is None or value == [] or value == {}


def _by_key(value: object) -> dict[str, Any] | None:
    """The items of a list of mappings by what names each, or else by their numbers; None of any
    other value.
    """
    if _empty(value):
        return {}
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return None
    for key in _KEYS:
        names = [one.get(key) for one in value]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return dict(zip(names, value, strict=True))
    return {str(number): one for number, one in enumerate(value)}


def _members(one: object, other: object) -> Sequence[Any] | None:
    """What `other` has and `one` lacks, of two lists of scalars; None where they are no such."""
    if not isinstance(one, list) or not isinstance(other, list):
        return None
    if any(isinstance(item, dict | list) for item in (*one, *other)):
        return None
    return [item for item in other if item not in one]
