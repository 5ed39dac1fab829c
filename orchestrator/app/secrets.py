"""Secrets of backends that are not set: the router starts all the same, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.config.load import backend_key, reveal
from orchestrator.config.schema import BackendRef, Config
from orchestrator.errors import ConfigError
from orchestrator.upstream.headers import CREDENTIALS

Environ = Mapping[str, str] | None  # None: the process's own

PASSED_ON = "the client's own Authorization is passed on instead"
REFUSED = "requests to this backend are answered with 401"


def without_unset(config: Config, environ: Environ = None) -> tuple[Config, tuple[str, ...]]:
    """`config` for `backends`, and a warning for each secret that refers to an unset variable.

    A backend without its credential gets no request, since the client's own is not meant for it;
    with `authz.fail_open` it counts as one for which no credential is configured, and receives
    the client's (spec/config.md 1.2). Other headers without a value are left out.
    """
    fail_open = config.global_.services.authz.fail_open
    warnings: list[str] = []
    models = []
    for model in config.providers.models:
        refs = []
        for position, ref in enumerate(model.backend_refs):
            changes, said = _unset(ref, fail_open, environ)
            place = f"providers.models[{model.name}].backend_refs[{position}]"
            warnings += [f"{place}{what}" for what in said]
            refs.append(ref.model_copy(update=changes))
        models.append(model.model_copy(update={"backend_refs": tuple(refs)}))
    providers = config.providers.model_copy(update={"models": tuple(models)})
    return config.model_copy(update={"providers": providers}), tuple(warnings)


def _unset(ref: BackendRef, fail_open: bool, environ: Environ) -> tuple[dict[str, Any], list[str]]:
    """The changes that a backend needs, and what is to be said."""
    changes: dict[str, Any] = {}
    said: list[str] = []
    outcome = PASSED_ON if fail_open else REFUSED
    try:
        backend_key(ref, environ)
    except ConfigError as error:
        changes |= {"api_key": None, "api_key_env": None} if fail_open else {}
        said.append(f": {error}; {outcome}")
    headers = dict(ref.extra_headers)
    for name, value in ref.extra_headers.items():
        credential = name.lower() in CREDENTIALS
        try:
            reveal(value, environ)
        except ConfigError as error:
            if fail_open or not credential:
                del headers[name]
            end = outcome if credential else "the header is not sent"
            said.append(f".extra_headers.{name}: {error}; {end}")
    if len(headers) < len(ref.extra_headers):
        changes["extra_headers"] = headers
    return changes, said
