"""What is called otherwise and is the same: names that went, paired with names that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Renames = dict[tuple[str, str], str]  # kind and old name -> new name


def pairs(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """Old name -> new name, of the things that kept their content; `old`, `new`: name -> content.

    Where several have the same content they are paired in their order.
    """
    came = [name for name in new if name not in old]
    found: dict[str, str] = {}
    for name in (name for name in old if name not in new):
        twin = next((other for other in came if new[other] == old[name]), None)
        if twin is not None and old[name]:
            came.remove(twin)
            found[name] = twin
    return found


def applied(renames: Mapping[tuple[str, str], str], family: str, name: str) -> str:
    """The new name of a leaf, which may be `rule` or `rule:level`."""
    if (family, name) in renames:
        return renames[family, name]
    rule, colon, level = name.partition(":")
    return renames.get((family, rule), rule) + colon + level


def rewritten(value: Any, renames: Mapping[tuple[str, str], str]) -> Any:  # noqa: ANN401
    """Plain data in which every `{type: family, name: ...}` bears its new name."""
    if isinstance(value, list):
        return [rewritten(one, renames) for one in value]
    if not isinstance(value, dict):
        return value
    changed = {key: rewritten(one, renames) for key, one in value.items()}
    family, name = changed.get("type"), changed.get("name")
    if isinstance(family, str) and isinstance(name, str):
        changed["name"] = applied(renames, family, name)
    return changed
