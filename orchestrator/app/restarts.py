"""What a new policy says that a running router cannot follow: ports, the size of bodies."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.app.options import (
    LOOPBACK,
    Options,
    demo_addresses,
    listeners,
    management_address,
)
from orchestrator.config.document import Document
from orchestrator.config.problems import Finding, place
from orchestrator.config.schema import Config
from orchestrator.errors import ConfigError, Problem, RouterError

MANAGEMENT = "global.services.management_api"


def restarts(
    started: Config, wanted: Config, options: Options, source: Document
) -> tuple[Problem, ...]:
    """Warnings, by the path of what waits for a restart. `started`: the policy of the start;
    `source`: where `wanted` is written.

    Raises ConfigError where the rest must not come into force without it.
    """
    bound, meant = (management_address(one, options) for one in (started, wanted))
    if bound[0] not in LOOPBACK and bound != meant:
        _still_asks_for_tokens(started, wanted, bound[0], source)
    found = (*_changed(started, wanted, options), *_demo(started, wanted, options))
    said = "takes effect when the router is started again; it goes on with"
    return tuple(
        place(Finding((*path.split("."),), f"{said} {value}", None, "warning"), source)
        for path, value in found
    )


def _changed(started: Config, wanted: Config, options: Options) -> Iterator[tuple[str, str]]:
    ports, now = listeners(wanted, options), listeners(started, options)
    if ports != now:
        yield "listeners", ", ".join(f"{host}:{port}" for host, port in now)
    address, bound = management_address(wanted, options), management_address(started, options)
    for key, new, old in zip(("bind_address", "port"), address, bound, strict=True):
        if new != old:
            yield f"{MANAGEMENT}.{key}", str(old)
    limit, most = (one.global_.router.max_body_bytes for one in (wanted, started))
    if limit != most:
        yield "global.router.max_body_bytes", str(most)


def _demo(started: Config, wanted: Config, options: Options) -> Iterator[tuple[str, str]]:
    """The stand-in for backends listens where those of the start were."""
    if not options.demo_upstream:
        return
    there = demo_addresses(started)
    try:
        more = [one for one in demo_addresses(wanted) if one not in there]
    except RouterError:  # there are none on this machine any more
        return
    if more:
        shown = ", ".join(f"{host}:{port}" for host, port in there)
        yield "providers.models", f"a demo upstream on {shown} alone"


def _still_asks_for_tokens(started: Config, wanted: Config, host: str, source: Document) -> None:
    """The port stays open to others until the restart, so it must not lose its tokens now."""
    before, after = (one.global_.services.management_api.auth.mode for one in (started, wanted))
    if before == after or after == "bearer":
        return
    finding = Finding(
        (*MANAGEMENT.split("."), "auth", "mode"),
        f"cannot be disabled while the management plane listens on {host}, which it does until the "
        "router is started again",
        hint="change bind_address, start the router again, then change this",
    )
    raise ConfigError(
        "the policy cannot be used without a restart: 1 error", (place(finding, source),)
    )
