"""`global.services.observability` (spec/config.md 1.6): what the router tells."""

from __future__ import annotations

from typing import Annotated, Literal

from orchestrator.config.fields import NOT_RUN_IF_ON, Count, Duration, Name, NotRun, Strict, Unit


class TraceExporter(Strict):
    type: Name = "otlp"
    """Protocol."""
    endpoint: Name = "vllm-sr-jaeger:4317"
    """That spans are sent to."""
    insecure: bool = True
    """Without TLS."""


class TraceSampling(Strict):
    type: Literal["always_on", "always_off", "probabilistic"] = "always_on"
    """Which requests are traced."""
    rate: Unit = 1.0
    """Share of them, for probabilistic."""


class TraceResource(Strict):
    service_name: Name = "vllm-sr"
    """In spans."""
    service_version: Name | None = None
    """In spans."""
    deployment_environment: Name | None = None
    """In spans."""


class Tracing(Strict):
    enabled: bool = True
    """Sends spans."""
    provider: Name = "opentelemetry"
    """Of tracing."""
    exporter: TraceExporter = TraceExporter()
    """Where spans go."""
    sampling: TraceSampling = TraceSampling()
    """Which requests are traced."""
    resource: TraceResource = TraceResource()
    """What spans say of the router."""


class WindowedMetrics(Strict):
    enabled: bool = False
    """Keeps figures of the last minutes."""
    time_windows: tuple[Duration, ...] = ()
    """How long back."""
    update_interval: Duration | None = None
    """Between two computations."""
    model_metrics: bool = False
    """For each model."""
    queue_depth_estimation: bool = False
    """Guesses how many requests wait."""
    max_models: Count | None = None
    """With figures of their own."""


def _on(value: object) -> bool:
    return bool(value)


class Metrics(Strict):
    enabled: Annotated[bool, NotRun(_on)] = True
    """Serves /metrics, on the management port."""
    windowed_metrics: Annotated[WindowedMetrics, NOT_RUN_IF_ON] = WindowedMetrics()
    """Figures of the last minutes."""


class Observability(Strict):
    tracing: Annotated[Tracing, NOT_RUN_IF_ON] = Tracing()
    """Spans."""
    metrics: Metrics = Metrics()
    """Counters and histograms."""
