"""What is left of a document when the schema's errors are taken out.

A file with a misspelt key is still worth checking for unknown names, so that its author sees every
problem at once. Nothing that is salvaged is ever run.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from orchestrator.config.document import Path
from orchestrator.config.schema import Config

ROUNDS = 20  # an error may hide behind another one


def salvage(data: dict[str, Any]) -> Config | None:
    """The config without the keys that are wrong.

    None where more than keys would have to go: without an item of a list or a block of names,
    places would shift and references to what is gone would look wrong.
    """
    rest = deepcopy(data)
    for _ in range(ROUNDS):
        try:
            return Config.model_validate(rest)
        except ValidationError as error:
            wrong = [tuple(details["loc"]) for details in error.errors() if _removable(details)]
            if len(wrong) < error.error_count() or not all(_remove(rest, loc) for loc in wrong):
                return None
    return None


def _removable(details: Any) -> bool:  # noqa: ANN401 - pydantic's ErrorDetails
    return bool(details["type"] != "missing")


def _remove(rest: dict[str, Any], loc: Path) -> bool:
    """Delete the key at `loc`, or at its deepest part that is there. False if it is no key."""
    here: Any = rest
    holder: Any = None
    for step in loc:
        match here:
            case dict() if step in here:
                holder, key = here, step
            case list() if isinstance(step, int) and step < len(here):
                holder, key = None, step
            case _:
                break
        here = here[step]
    if holder is None or key == "name":
        return False
    del holder[key]
    return True
