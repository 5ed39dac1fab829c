"""Everything about a tritonserver that is settled before it runs: checks, folders, command line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import ServerStartError
from orchestrator.inference import installation as bundled
from orchestrator.inference.installation import Installation
from orchestrator.inference.ports import free_port, taken
from orchestrator.inference.repository import (
    check_repository,
    is_shell_safe,
    model_folder,
    only_of_other_forms,
    shell_safe,
    wants_cache,
)
from orchestrator.inference.run_directory import RunDirectory, open_run_directory

HOST = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
NVIDIA = Path("/dev/nvidiactl")  # is there where a driver is
CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Front:
    """What others see of a server. A port is None where that protocol is not spoken."""

    host: str = HOST
    http_port: int | None = None
    metrics_port: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)  # more of it, for the models

    @property
    def reached_at(self) -> str:
        """The host by which this machine speaks to it."""
        return HOST if self.host == EVERYWHERE else self.host


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted; see `EmbeddedTriton`."""

    repository: Path
    models: tuple[str, ...] | None
    state_dir: Path
    port: int | None
    config_name: str | None
    installation: Installation | None
    exit_timeout_s: int
    front: Front = field(default_factory=Front)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is settled. `close` removes the folders."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    port: int
    run: RunDirectory
    links: Path

    def close(self) -> None:
        shutil.rmtree(self.links, ignore_errors=True)
        self.run.close()


def prepare(order: Order) -> Launch:
    """Raises ServerStartError where the server cannot run; nothing is left then."""
    installation = order.installation or bundled.find_installation()
    bundled.check_installation(installation, numpy=bundled.numpy_version())
    bundled.check_shared_memory()
    check_repository(order.repository, order.models)
    front = order.front
    check_ports(order)
    port = order.port or free_port(front.host)
    options = _options(order, installation)
    try:
        backends = bundled.python_backend(installation, order.state_dir)
        bundled.check_libraries(backends / "python" / bundled.STUB, installation)
        run = open_run_directory(order.state_dir)
        links = run.path if is_shell_safe(run.path) else Path(tempfile.mkdtemp(prefix="tsr-"))
    except OSError as error:
        raise ServerStartError(
            f"the state folder {order.state_dir} cannot be used: {error}"
        ) from error
    command = [
        str(installation.server),
        f"--model-repository={shell_safe(order.repository, links, 'models')}",
        f"--backend-directory={shell_safe(backends, links, 'backends')}",
        f"--backend-config=python,shm-region-prefix-name={run.shm_prefix}",
        f"--grpc-address={front.host}",
        f"--grpc-port={port}",
        *options,
    ]
    environment = {**front.environment, **installation.environment()}
    return Launch(tuple(command), environment, port, run, links)


def check_ports(order: Order) -> None:
    """Raises ServerStartError where Triton could not listen."""
    host = order.front.host
    wanted = [order.port, order.front.http_port, order.front.metrics_port]
    ports = [one for one in wanted if one is not None]
    if not host:
        raise ServerStartError(f"no host to listen at: {HOST}, or {EVERYWHERE} for all addresses")
    for port in ports:
        if taken(host, port):
            raise ServerStartError(f"port {port} on {host} is taken: choose another for Triton")
        if ports.count(port) > 1:
            raise ServerStartError(
                f"port {port} is named twice: gRPC, HTTP and metrics want one each"
            )


def _all(order: Order) -> Sequence[str]:
    idle = only_of_other_forms(order.repository, order.config_name)
    if not idle:
        return ("*",)
    folders = sorted(order.repository.iterdir())
    return [one.name for one in folders if model_folder(one) and one.name not in idle]


def _options(order: Order, installation: Installation) -> list[str]:
    names = _all(order) if order.models is None else order.models
    options = [
        "--model-control-mode=explicit",  # healing unloads and loads
        *(f"--load-model={name}" for name in names),
        f"--exit-timeout-secs={order.exit_timeout_s}",
        "--log-format=ISO8601",
        *_listener("http", order.front.host, order.front.http_port),
        *_listener("metrics", order.front.host, order.front.metrics_port),
    ]
    if order.config_name is not None:
        options.append(f"--model-config-name={order.config_name}")
    if wants_cache(order.repository, order.config_name):
        options.append(f"--cache-config=local,size={CACHE_BYTES}")
        options.append(f"--cache-directory={installation.root / 'caches'}")
    return options


def _listener(protocol: str, host: str, port: int | None) -> list[str]:
    if port is None:
        return [f"--allow-{protocol}=false"]
    # Without a GPU its metrics are lines of errors in the log.
    more = ["--allow-gpu-metrics=false"] if protocol == "metrics" and not NVIDIA.exists() else []
    return [f"--{protocol}-address={host}", f"--{protocol}-port={port}", *more]
