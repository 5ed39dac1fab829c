"""Backends whose keys are not set: served all the same, with the client's own credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.config.load import backend_key, reveal
from orchestrator.config.schema import BackendRef, Config
from orchestrator.errors import ConfigError

Environ = Mapping[str, str] | None  # None: the process's own


def without_unset(config: Config, environ: Environ = None) -> tuple[Config, tuple[str, ...]]:
    """`config` without the backend secrets that refer to unset variables, and a warning for each.

    A backend without a key receives the client's own Authorization header (spec/config.md 1.2).
    """
    warnings: list[str] = []
    models = []
    for model in config.providers.models:
        refs = []
        for position, ref in enumerate(model.backend_refs):
            changes, said = _unset(ref, environ)
            place = f"providers.models[{model.name}].backend_refs[{position}]"
            warnings += [f"{place}{what}" for what in said]
            refs.append(ref.model_copy(update=changes))
        models.append(model.model_copy(update={"backend_refs": tuple(refs)}))
    providers = config.providers.model_copy(update={"models": tuple(models)})
    return config.model_copy(update={"providers": providers}), tuple(warnings)


def _unset(ref: BackendRef, environ: Environ) -> tuple[dict[str, Any], list[str]]:
    """The changes that a backend needs, and why."""
    changes: dict[str, Any] = {}
    said: list[str] = []
    try:
        backend_key(ref, environ)
    except ConfigError as error:
        changes |= {"api_key": None, "api_key_env": None}
        said.append(f": {error}; the client's own Authorization is passed on instead")
    headers = dict(ref.extra_headers)
    for name, value in ref.extra_headers.items():
        try:
            reveal(value, environ)
        except ConfigError as error:
            del headers[name]
            said.append(f".extra_headers.{name}: {error}; the header is not sent")
    if len(headers) < len(ref.extra_headers):
        changes["extra_headers"] = headers
    return changes, said
