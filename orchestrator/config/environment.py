"""Environment references in YAML text (spec/config.md 1.1, step 3). Pure: the variables come in.

Everywhere `${VAR}`, `${VAR:-default}` (unset or empty) and `${VAR-default}` (unset) stand for
the variable. Outside of `routing`, `$VAR` does too, and `$$` is a dollar sign.

Inside of `routing` are patterns, prompts and templates, whose dollar signs are their own. There
`$VAR` and `$$` stay as written, `${name}` in lower case is a placeholder of a template, and
`$${` writes a `${` that is not expanded. An unterminated `${` stays as it is everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_BRACED = r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?:(?P<op>:?-)(?P<default>[^}]*))?\}"
_IN_SETTINGS = re.compile(rf"(?P<escape>\$\$)|{_BRACED}|\$(?P<bare>[A-Za-z_][A-Za-z0-9_]*)")
_IN_ROUTING = re.compile(rf"(?P<escape>\$\$(?=\{{))|{_BRACED}(?P<bare>)")


@dataclass(frozen=True, slots=True)
class Expansion:
    text: str
    unset: tuple[str, ...] = ()  # variables that are referred to, without default, and not set


def expand(text: str, environ: Mapping[str, str], *, routing: bool = False) -> Expansion:
    """`text` with its references replaced; an unset variable is replaced by nothing."""
    unset: list[str] = []

    def replace(match: re.Match[str]) -> str:
        if match["escape"]:
            return "$"
        name, operator = match["name"] or match["bare"], match["op"]
        if routing and operator is None and name != name.upper():
            return match[0]
        value = environ.get(name)
        if value is None or (operator == ":-" and value == ""):
            if operator is None:
                unset.append(name)
            return match["default"] or ""
        return value

    pattern = _IN_ROUTING if routing else _IN_SETTINGS
    return Expansion(pattern.sub(replace, text), tuple(unset))
