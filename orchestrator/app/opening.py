"""A router for the Triton that loads it as a model: its terms from the model's parameters, its
log and metrics to Triton, errors as Triton has them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from orchestrator.app.inside import Inside, Terms
from orchestrator.app.serving import DISTRIBUTION
from orchestrator.errors import ConfigError, RequestError, RouterError
from orchestrator.inference.neighbours import Backend
from orchestrator.protocols.chat_completions import error_body
from orchestrator.telemetry import Telemetry

# Parameter of the model -> field of Terms, all of them positive.
LIMITS = {"max_in_flight": "in_flight", "max_bytes": "max_bytes", "start_seconds": "start_s"}


def opened(
    backend: Backend, given: Mapping[str, str], model: str, folder: Path, policy: Path
) -> Inside:
    """Started. `given` are the parameters of the model, which is in `folder`. Raises Triton's own
    exception where the policy or a parameter cannot be used.
    """
    logging.basicConfig(level=logging.INFO, handlers=[Log(backend)], force=True)
    try:
        terms = Terms(
            policy,
            model,
            folder.parent,
            given.get("model_config_name", ""),
            **{field: _limit(given, name) for name, field in LIMITS.items() if given.get(name)},
        )
        router = Inside(backend, terms, Metrics(backend), _release())
        router.start()
    except RouterError as error:
        raise backend.TritonModelException(str(error)) from None
    return router


def refusal(error: RouterError) -> tuple[str, str]:
    """The body that an OpenAI client would read, and the name of Triton's code."""
    code = "UNAVAILABLE" if error.status == 503 else "INTERNAL"
    return error_body(error).decode(), "INVALID_ARG" if error.status < 500 else code


def unreadable(error: ValueError) -> RequestError:
    """The error of a request whose parameters are no text."""
    return RequestError(f"the parameters of the request cannot be read: {error}", "parameters")


def _limit(given: Mapping[str, str], name: str) -> int:
    """Raises ConfigError."""
    text = given[name]
    if not text.isdecimal() or not int(text):
        raise ConfigError(f"the parameter {name} of the model is {text!r}, not a whole number > 0")
    return int(text)


def _release() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # a checkout that is on the path and not installed
        return "unknown"


class Log(logging.Handler):
    """To Triton's log, at its levels."""

    def __init__(self, backend: Backend) -> None:
        super().__init__(logging.INFO)
        self._logger = backend.Logger

    def emit(self, record: logging.LogRecord) -> None:
        said = f"{record.name}: {record.getMessage()}"
        if record.levelno >= logging.ERROR:
            self._logger.log_error(said)
        elif record.levelno >= logging.WARNING:
            self._logger.log_warn(said)
        else:
            self._logger.log_info(said)


class Metrics(Telemetry):
    """What nobody else tells, in Triton's metrics, which count and time the requests themselves.
    The names are those of the router's own `/metrics`.
    """

    def __init__(self, backend: Backend) -> None:
        super().__init__()
        kind = backend.MetricFamily
        described = (
            ("tsr_config_reload_total", "Attempts to put another policy in force.", kind.COUNTER),
            ("tsr_config_file_in_force", "1 where the file is the policy in force.", kind.GAUGE),
            ("tsr_model_trusted", "1 where a model agrees with its reference.", kind.GAUGE),
        )
        self._families = {
            name: kind(name=name, description=text, kind=which) for name, text, which in described
        }
        self._metrics: dict[tuple[str, str], Any] = {}

    def configured(self, models: Iterable[str], version: str, digest: str) -> None:
        super().configured(models, version, digest)
        self._metric("tsr_config_file_in_force").set(1)

    def reloaded(self, outcome: str, file_in_force: bool) -> None:
        super().reloaded(outcome, file_in_force)
        self._metric("tsr_config_reload_total", outcome=outcome).increment(1)
        self._metric("tsr_config_file_in_force").set(int(file_in_force))

    def left(self, models: Iterable[str]) -> None:
        gone = [*models]
        super().left(gone)
        for model in gone:
            self._metrics.pop(("tsr_model_trusted", model), None)  # Triton forgets it with that

    def model_checked(
        self,
        model: str,
        trusted: bool,
        cosine: float | None = None,
        probability: float | None = None,
    ) -> None:
        super().model_checked(model, trusted, cosine, probability)
        self._metric("tsr_model_trusted", model=model).set(int(trusted))

    def _metric(self, name: str, **labels: str) -> Any:  # noqa: ANN401 - Triton's
        key = name, "".join(labels.values())
        if key not in self._metrics:
            self._metrics[key] = self._families[name].Metric(labels=labels)
        return self._metrics[key]
