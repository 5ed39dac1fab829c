"""Response headers that say what was decided (spec/http.md 7.1)."""

from __future__ import annotations

from collections.abc import Mapping
from string import printable, whitespace
from typing import Literal
from urllib.parse import quote

from orchestrator.types import Route

ResponsePath = Literal["upstream", "error"]

REQUEST_ID = "x-request-id"
DEBUG = "x-vsr-debug"
OVERHEAD = "x-tsr-overhead-ms"

SCHEMA_VERSION = "2"
_SAFE = "".join(set(printable) - set(whitespace) - {"%"}) + " "


def always(path: ResponsePath) -> dict[str, str]:
    return {"x-vsr-schema-version": SCHEMA_VERSION, "x-vsr-response-path": path}


def routed(route: Route) -> dict[str, str]:
    """What policy decided; nothing for a model that the client named itself.

    The body keeps the backend's own `model`; the logical one is told here, streamed or not.
    """
    if route.resolution != "routed":
        return {}
    chosen = route.plan.chosen
    told = {
        "x-vsr-selected-recipe": clean(route.recipe or ""),
        "x-vsr-selected-algorithm": clean(route.plan.method),
        "x-vsr-selected-model": clean(chosen.lora or chosen.model),
    }
    if route.verdict is not None:
        told["x-vsr-selected-decision"] = clean(route.verdict.decision)
        told["x-vsr-selected-confidence"] = f"{route.verdict.confidence:.4f}"
    return told


def debug(route: Route, names: Mapping[str, str]) -> dict[str, str]:
    """What the signals found, for callers who ask. `names`: of the headers, by family."""
    told = {"x-vsr-selected-reasoning": "on" if route.plan.chosen.use_reasoning else "off"}
    for family, reading in route.facts.readings.items():
        if reading.matches:
            name = names.get(family, family)
            told[f"x-vsr-matched-{name}"] = ",".join(map(clean, reading.matches))
    return told


def overhead(seconds: float) -> str:
    """Milliseconds spent in the router, the backend's time left out."""
    return f"{max(0.0, seconds) * 1000:.2f}"


def clean(value: str) -> str:
    """Header text: what is not printable ASCII is percent-encoded as UTF-8."""
    if value.isascii() and value.isprintable() and "%" not in value:
        return value
    return quote(value, safe=_SAFE, errors="replace")
