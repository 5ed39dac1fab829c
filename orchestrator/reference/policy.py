"""The whole policy: the schema, with the rows and blocks of extensions at their places."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace

from orchestrator.choosing.checking import settings_of
from orchestrator.config.decisions import PLUGINS, Decision, ModelRef, Node, PluginRef
from orchestrator.config.fields import Strict
from orchestrator.config.schema import Config, MainRouting, Projections, Routing
from orchestrator.config.settings import ModelSelection
from orchestrator.config.unused import NOT_USED
from orchestrator.contest.surroundings import SHARED
from orchestrator.projections import PROJECTION, PROJECTIONS
from orchestrator.reference.keys import Field, Special, Walk
from orchestrator.reference.writing import Line, written
from orchestrator.selection import LOOPERS, SELECTORS, WITHOUT_ALGORITHM
from orchestrator.signals import SIGNALS

HEAD = f"""\
Every key of a policy: what may stand there, what it is for, and its default as its value. Written
by `tsr reference` from the schema, to be read and copied from; start a policy from router.yaml.

What is commented out has no default, or is a row of a list. `null` means "not given". Durations
are 500ms, 2s, 1m30s. Any value may come from the environment: ${{VAR}}, ${{VAR:-default}}.
({NOT_USED}) is what `tsr check` says of such a key.
"""
ALGORITHM = "routing.decisions[].algorithm"


def reference() -> str:
    """The text of configs/reference.yaml. Extensions have to be discovered before."""
    return "".join(f"{line.rstrip()}\n" for line in written(lines()))


def lines() -> Iterator[Line]:
    walk = Walk(
        _specials(),
        elsewhere={
            Node: "routing.decisions[].rules",
            Routing: "routing",
            ModelRef: "routing.decisions[].modelRefs",
        },
        homes=frozenset({(Decision, "rules"), (Decision, "modelRefs")}),
    )
    yield Line(0, note=HEAD.strip())
    yield from walk.model(Config, 0, live=True)


def _specials() -> Mapping[Field, Special]:
    found: dict[Field, Special] = {
        (MainRouting, "signals"): _signals,
        (Decision, "algorithm"): _algorithm,
        (Node, "type"): _one_of([*SIGNALS.names(), PROJECTION]),
        (PluginRef, "type"): _one_of(PLUGINS),
    }
    found |= {(Projections, section): _projections for section in Projections.model_fields}
    for block in ModelSelection.model_fields:
        if block in SELECTORS:
            found[ModelSelection, block] = _block_elsewhere
    found[ModelSelection, SHARED] = _trained
    return found


def _signals(walk: Walk, head: Line) -> Iterator[Line]:
    yield replace(head, kind="")
    for name in SIGNALS.names():
        kind = SIGNALS[name]
        section = Line(head.depth + 1, kind.section, live=False)
        about = _about(kind, f"configs/fragments/signal/{name}.yaml")
        yield Line(section.depth, note=about if kind.runs else f"{about} ({NOT_USED})")
        yield section
        yield from walk.row(kind.Rule, section.depth)


def _projections(walk: Walk, head: Line) -> Iterator[Line]:
    [kind] = [
        PROJECTIONS[name] for name in PROJECTIONS.names() if PROJECTIONS[name].section == head.name
    ]
    yield Line(head.depth, note=_about(kind))
    yield replace(head, kind="list", live=False)
    yield from walk.row(kind.Rule, head.depth)


def _algorithm(walk: Walk, head: Line) -> Iterator[Line]:
    yield replace(head, kind="", live=False)
    inside = head.depth + 1
    loopers = f"{', '.join(sorted(LOOPERS))} ({NOT_USED})"
    kinds = f"{' | '.join(SELECTORS.names())}; {loopers}"
    note = "At most one block may stand beside it, that of the type."
    yield Line(inside, "type", WITHOUT_ALGORITHM, kinds, note, live=False)
    for name in SELECTORS.names():
        yield Line(inside, note=_about(SELECTORS[name]))
        settings = SELECTORS[name].Settings
        if settings is not None:
            yield Line(inside, name, live=False)
            yield from walk.model(settings, inside + 1, live=False)


def _block_elsewhere(walk: Walk, head: Line) -> Iterator[Line]:
    note = f"{head.note} Written as {ALGORITHM}.{head.name}."
    yield replace(head, value="{}", kind="", note=note)


def _trained(walk: Walk, head: Line) -> Iterator[Line]:
    settings: type[Strict] | None = settings_of(head.name)
    yield replace(head, kind="")
    if settings is not None:
        yield from walk.model(settings, head.depth + 1, head.live)


def _one_of(words: list[str] | tuple[str, ...]) -> Special:
    def special(walk: Walk, head: Line) -> Iterator[Line]:
        yield replace(head, value=words[0], kind=" | ".join(words))

    return special


def _about(kind: type, example: str = "") -> str:
    """The first sentence of the extension's module."""
    first = (sys.modules[kind.__module__].__doc__ or "").partition("\n\n")[0].split("\n")[0]
    said = re.sub(r"\s*\(spec/[^)]*\)", "", first)
    return f"{said} Example: {example}" if example else said
