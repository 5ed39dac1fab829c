"""A policy document as data that the management API shows and changes, and as text again.

Nothing is expanded: `${VAR}` stays `${VAR}`. Comments and anchors are lost where data becomes text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from orchestrator.config.document import Path, dotted, secret_path
from orchestrator.config.schema import Recipe
from orchestrator.errors import ConfigError, Problem

MASK = "********"
DEFAULT = "default"
CATALOGUE = "modelCards"  # shared by all recipes, so it is no part of the recipe `default`

Data = dict[str, Any]
Value = Any  # of YAML: Data, a list, a text, a number, a truth or None

_USERINFO = re.compile(r"://[^/@\s:]*:[^/@\s]+@")  # of a URL
_HIDDEN = f"://{MASK}@"
_REFERENCE = re.compile(r"\$(\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)", re.ASCII)  # no ${VAR:-text}


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def dump(data: Mapping[str, Any]) -> str:
    """YAML, in the order of `data`. Raises ConfigError for what YAML cannot hold."""
    try:
        text: str = yaml.dump(
            data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000
        )
    except (yaml.YAMLError, UnicodeError, RecursionError, TypeError) as error:
        raise ConfigError(
            f"the document cannot be written as YAML: {type(error).__name__}"
        ) from None
    return text


def masked(data: Value, path: Path = ()) -> Value:
    """A copy without secrets: what is not a mere reference to a variable becomes MASK."""
    if isinstance(data, dict):
        return {key: masked(value, (*path, key)) for key, value in data.items()}
    if isinstance(data, list):
        return [masked(value, (*path, index)) for index, value in enumerate(data)]
    if data in (None, ""):
        return data
    if not secret_path(path):
        return _USERINFO.sub(_HIDDEN, data) if isinstance(data, str) else data
    return data if _REFERENCE.fullmatch(str(data)) else MASK


def refuse_masks(data: Value, name: str) -> None:
    """Raises ConfigError for every secret that was sent back as it was shown.

    To put in what the file has at that place would give a key to a backend that has moved there.
    """
    problems = tuple(
        Problem(
            dotted(path),
            f"a secret that was not shown ({MASK}) cannot be sent back",
            None,
            name,
            "write it, or better ${VARIABLE}",
        )
        for path in _masks(data, ())
    )
    if problems:
        raise ConfigError(f"{name} cannot be used: it has masked secrets", problems)


def _masks(data: Value, path: Path) -> list[Path]:
    if isinstance(data, dict):
        return [found for key, value in data.items() for found in _masks(value, (*path, key))]
    if isinstance(data, list):
        return [found for at, value in enumerate(data) for found in _masks(value, (*path, at))]
    hidden = data == MASK and secret_path(path) or isinstance(data, str) and _HIDDEN in data
    return [path] if hidden else []


def merged(data: Value, patch: Value) -> Value:
    """`data` under a JSON merge patch (RFC 7396): mappings merge, null removes, others replace."""
    if not isinstance(patch, dict):
        return patch
    result = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def recipes(data: Data) -> dict[str, Data]:
    """Name -> recipe, in order; the top-level `routing` first, as the recipe `default`."""
    listed = data.get("recipes")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    named = {str(row.get("name")): row for row in rows}
    if DEFAULT in named:
        return named
    routing = data.get("routing")
    own = routing if isinstance(routing, dict) else {}
    shown = {key: value for key, value in own.items() if key != CATALOGUE}
    return {DEFAULT: {"name": DEFAULT, "routing": shown}} | named


def with_recipe(data: Data, name: str, recipe: Data) -> Data:
    """The document with `recipe` in the place of the one of that name, or at the end.

    The recipe `default` is the top-level `routing`, which has no description: with one, it becomes
    a row of `recipes`, which stands for it, and the catalogue stays where it is. Raises ConfigError
    for what is no recipe `default`.
    """
    row = {"name": name} | {key: value for key, value in recipe.items() if key != "name"}
    rows = _rows(data)
    at = _position(rows, name)
    if name == DEFAULT and at is None:
        _refuse_misfits(recipe)
        routing = data.get("routing") or {}
        cards = {CATALOGUE: routing[CATALOGUE]} if CATALOGUE in routing else {}
        if recipe.get("description") is not None:
            return data | {"routing": cards, "recipes": [row, *rows]}
        return data | {"routing": cards | recipe["routing"]}
    if at is None:
        return data | {"recipes": [*rows, row]}
    return data | {"recipes": [*rows[:at], row, *rows[at + 1 :]]}


def _refuse_misfits(recipe: Data) -> None:
    """What the schema would not see, or not where the caller wrote it."""
    found = {key: "unknown key" for key in recipe if key not in Recipe.model_fields}
    if not isinstance(recipe.get("routing"), dict):
        found["routing"] = "a mapping is needed"
    if found:
        problems = tuple(Problem(path, text, None, "<body>") for path, text in found.items())
        raise ConfigError("<body> cannot be used: it is no recipe", problems)


def without_recipe(data: Data, name: str) -> Data:
    """KeyError where `recipes` has none of that name."""
    rows = _rows(data)
    at = _position(rows, name)
    if at is None:
        raise KeyError(name)
    return data | {"recipes": [*rows[:at], *rows[at + 1 :]]}


def _rows(data: Data) -> list[Any]:
    rows = data.get("recipes")
    return rows if isinstance(rows, list) else []


def _position(rows: list[Any], name: str) -> int | None:
    names = [row.get("name") if isinstance(row, dict) else None for row in rows]
    return names.index(name) if name in names else None
