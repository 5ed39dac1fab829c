"""Response headers that say what was decided (spec/http.md 7.1)."""

from __future__ import annotations

from collections.abc import Mapping
from string import printable, whitespace
from typing import Literal
from urllib.parse import quote

from orchestrator.config.decisions import Decision
from orchestrator.errors import UnreadableText
from orchestrator.evaluation.unknowns import NOT_RUN
from orchestrator.inference.languages import refused
from orchestrator.inference.pictures import UNFAMILIAR
from orchestrator.selection import ran
from orchestrator.types import Facts, Route

ResponsePath = Literal["upstream", "error"]

REQUEST_ID = "x-request-id"
DEBUG = "x-vsr-debug"
OVERHEAD = "x-tsr-overhead-ms"
UNKNOWN = "x-tsr-signals-unknown"

SCHEMA_VERSION = "2"
OWN = frozenset({UNFAMILIAR, UnreadableText.code})  # reasons that lie in the request itself
_SAFE = "".join(set(printable) - set(whitespace) - {"%"}) + " "


def always(path: ResponsePath) -> dict[str, str]:
    return {"x-vsr-schema-version": SCHEMA_VERSION, "x-vsr-response-path": path}


def routed(route: Route) -> dict[str, str]:
    """What policy decided; nothing for a model that the client named itself.

    The body keeps the backend's own `model`; the logical one is told here, streamed or not.
    """
    if route.resolution != "routed":
        return {}
    told = {
        "x-vsr-selected-recipe": clean(route.recipe or ""),
        "x-vsr-selected-algorithm": clean(ran(route.plan)),
        "x-vsr-selected-model": clean(route.plan.chosen.name),
    }
    if route.verdict is not None:
        told["x-vsr-selected-decision"] = clean(route.verdict.decision)
        told["x-vsr-selected-confidence"] = f"{route.verdict.confidence:.4f}"
    if unread := failures(route.facts):
        told[UNKNOWN] = ",".join(map(clean, unread))
    return told


def debug(route: Route, names: Mapping[str, str]) -> dict[str, str]:
    """What the signals found, for callers who ask. `names`: of the headers, by family."""
    told: dict[str, str] = {}
    for family, reading in route.facts.readings.items():
        if reading.matches:
            name = names.get(family, family)
            told[f"x-vsr-matched-{name}"] = ",".join(map(clean, reading.matches))
    return told


def retention(decision: Decision) -> dict[str, str]:
    """How long the decision wants the answer kept, for callers who ask; what it says, no more."""
    told: dict[str, str] = {}
    for emit in decision.emits:
        kept = emit.retention
        said = {
            "drop": kept.drop,
            "ttl-turns": kept.ttl_turns,
            "keep-current-model": kept.keep_current_model,
            "prefer-prefix": kept.prefer_prefix_retention,
        }
        told |= {
            f"x-vsr-retention-{name}": str(value).lower()
            for name, value in said.items()
            if value is not None
        }
    return told


def reasoning(sent: bool | None) -> dict[str, str]:
    """What the backend was told of reasoning, for callers who ask; None where nothing."""
    return {} if sent is None else {"x-vsr-selected-reasoning": "on" if sent else "off"}


def failures(facts: Facts, *, refusals: bool = True) -> dict[str, str]:
    """Family -> reason, for those that could not be judged as they should be.

    `refusals`: also those of which the request is the reason: a language that the model reads
    badly, a script that it does not read, a picture of a kind that the encoder does not know.
    """
    return {
        family: reason
        for family, reading in facts.readings.items()
        for reason in (*reading.unknown.values(), reading.failed)
        if reason not in ("", NOT_RUN) and (refusals or not (refused(reason) or reason in OWN))
    }


def overhead(seconds: float) -> str:
    """Milliseconds spent in the router, the backend's time left out."""
    return f"{max(0.0, seconds) * 1000:.2f}"


def clean(value: str) -> str:
    """Header text: what is not printable ASCII is percent-encoded as UTF-8."""
    if value.isascii() and value.isprintable() and "%" not in value:
        return value
    return quote(value, safe=_SAFE, errors="replace")
