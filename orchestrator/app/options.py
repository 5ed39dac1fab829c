"""What the command line and the policy file say about ports and headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.config.schema import Config
from orchestrator.errors import RouterError
from orchestrator.upstream.endpoints import endpoints

DEFAULT_LISTENER = ("127.0.0.1", 8899)
LOOPBACK = ("127.0.0.1", "localhost", "::1")

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says; None and empty leave it to the file."""

    host: str | None = None
    port: int | None = None
    management_port: int | None = None
    triton_urls: Sequence[str] = ()
    demo_upstream: bool = False
    config: Path | None = None  # where the policy came from, and is watched
    watch: bool = True  # else only SIGHUP and the management plane change it


def listeners(config: Config, options: Options) -> list[Address]:
    """Addresses of the data plane; `--host` and `--port` move the first listener."""
    found = [(one.address, one.port) for one in config.listeners] or [DEFAULT_LISTENER]
    host, port = found[0]
    return [(options.host or host, options.port or port), *found[1:]]


def management_address(config: Config, options: Options) -> Address:
    service = config.global_.services.management_api
    return service.bind_address, options.management_port or service.port


def management_url(config: Config, options: Options) -> str:
    return "http://{}:{}".format(*management_address(config, options))


def demo_addresses(config: Config) -> list[Address]:
    """Where the policy's backends on this machine are. Raises RouterError where it has none."""
    urls = [one.url for model in config.providers.models for one in endpoints(model, {})]
    found = [(url.host, url.port) for url in urls if url.host in LOOPBACK]
    addresses = [(host, port) for host, port in dict.fromkeys(found) if host and port]
    if not addresses:
        raise RouterError(
            "--with-demo-upstream: the policy has no backend on this machine (127.0.0.1 or "
            "localhost) that the demo upstream could stand in for"
        )
    return addresses


def identity_headers(config: Config) -> tuple[str, str]:
    """Where the authentication layer writes the user and the groups; lower-case."""
    headers = config.global_.services.authz.identity
    return headers.user_id_header, headers.user_groups_header
