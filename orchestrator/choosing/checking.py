"""What is wrong with a decision's algorithm, before anything is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from orchestrator.choosing.building import block_of, method_of
from orchestrator.choosing.catalogue import Catalogue, contenders_of
from orchestrator.config.decisions import Decision
from orchestrator.config.document import Path
from orchestrator.config.fields import NOT_RUN, Count, Name, Opaque, Strict
from orchestrator.config.problems import Check, Finding, unknown
from orchestrator.config.unused import marked
from orchestrator.selection import (
    LOOPERS,
    SELECTORS,
    WITHOUT_ALGORITHM,
    Selector,
    Surroundings,
    trained,
)
from orchestrator.types import EMPTY


class Shared(Strict):
    """Of `global.router.model_selection.ml`, beside a block for each algorithm that is trained."""

    models_path: Name | None = None
    """Folder of the artefacts <algorithm>_model.json, which tsr train-selector writes."""
    embedding_dim: Annotated[Count, NOT_RUN] = 0
    """Stands in the artefact."""


def trained_settings() -> type[Strict]:
    """Of `global.router.model_selection.ml`. How a model was trained is in its artefact."""
    block = Annotated[Opaque, NOT_RUN, Field(description="Of its training.")]
    blocks: dict[str, Any] = {name: (block, {}) for name in trained()}
    return create_model("TrainedSettings", __base__=Shared, **blocks)


def check_decision(
    decision: Decision,
    path: Path,
    checks: Check,
    entries: Catalogue = EMPTY,
    around: Surroundings | None = None,
) -> None:
    """Report on the `algorithm` and the weights of the decision that stands at `path`.

    The schema has seen to their shape: a lower-case type and no block but the type's own.
    """
    method, at = method_of(decision), (*path, "algorithm")
    checks.add(_weights(decision, method, path))
    if method in LOOPERS:
        said = f"{method!r} is accepted, not used by this version"
        checks.warn(at, said)
    elif method not in SELECTORS:
        known = LOOPERS | set(SELECTORS.names())
        checks.add([unknown("algorithm", method, known, (*at, "type"))])
    else:
        _selector(SELECTORS[method], decision, at, checks, entries, around or Surroundings())


def settings_of(block: str) -> type[Strict] | None:
    """Of a block of `global.router.model_selection`."""
    return SELECTORS[block].Settings if block in SELECTORS else trained_settings()


def check_defaults(defaults: Mapping[str, Mapping[str, Any]], path: Path, checks: Check) -> None:
    """Report on the blocks of `global.router.model_selection`, which stand at `path`."""
    for name, block in defaults.items():
        kind = settings_of(name)
        if kind is not None and block:
            settings = checks.validate(kind, block, (*path, name))
            if settings is not None:
                checks.add(marked(settings, (*path, name)))


def _selector(
    kind: type[Selector[Any]],
    decision: Decision,
    at: Path,
    checks: Check,
    entries: Catalogue,
    around: Surroundings,
) -> None:
    method, settings = method_of(decision), None
    block = (decision.algorithm or {}).get(method)
    if kind.Settings is None:
        if block is not None:
            checks.error((*at, method), f"{method} takes no settings")
            return
    else:
        settings = _settings(kind.Settings, block, method, at, checks)
        if settings is None:
            return
        whole = block_of(decision, method, around)
        settings = kind.Settings.model_validate(whole) if _valid(kind.Settings, whole) else settings
    if len(decision.modelRefs) < 2:
        return  # nothing to choose, so that nothing is asked or read
    for found in kind.check(contenders_of(decision, entries), settings, around):
        checks.add([Finding((*at, *found.path), found.message, found.hint, found.severity)])


def _settings(
    model: type[BaseModel], block: object, method: str, at: Path, checks: Check
) -> BaseModel | None:
    """The decision's own block by itself, so that its mistakes are reported where they stand."""
    place = (*at, method) if block is not None else at
    settings = checks.validate(model, {} if block is None else block, place)
    if settings is not None:
        checks.add(marked(settings, place))
    return settings


def _valid(model: type[BaseModel], block: Mapping[str, Any]) -> bool:
    """Where the defaults are wrong, that is reported at their own place."""
    try:
        model.model_validate(block)
    except ValueError:
        return False
    return True


def _weights(decision: Decision, method: str, path: Path) -> Iterator[Finding]:
    refs = decision.modelRefs
    given = [ref.weight for ref in refs if ref.weight is not None]
    if method in LOOPERS:
        return  # which is said to be not used as a whole
    if method != WITHOUT_ALGORITHM:
        for index, ref in enumerate(refs):
            if ref.weight not in (None, 1):
                said = "accepted, not used by this version: only static splits by weights"
                yield Finding((*path, "modelRefs", index, "weight"), said, None, "warning")
    elif given and len(given) == len(refs) and not any(given):
        said = "every weight is 0: the first candidate answers"
        yield Finding((*path, "modelRefs"), said, "give one of them a weight", "warning")
