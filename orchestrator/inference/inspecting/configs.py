"""What a config says by itself: Triton loads no model that says less, or nothing that can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tritonclient.grpc import model_config_pb2 as pb

from orchestrator.inference.inspecting.models import Model
from orchestrator.inference.inspecting.problem import Problem, rendered

ENSEMBLE = "ensemble"


def problems(repository: Path, models: Mapping[str, Model]) -> Iterator[Problem]:
    for model in models.values():
        for wrong, right in _wrong(model):
            yield Problem(
                file=str(model.path.relative_to(repository)),
                wrong=wrong,
                right=right,
                command=rendered(repository, model.name),
            )


def _wrong(model: Model) -> Iterator[tuple[str, str]]:
    config = model.config
    for one in (*config.input, *config.output):
        if one.data_type not in pb.DataType.values():
            known = ", ".join(pb.DataType.keys())
            yield (
                f"{one.name} has the type {one.data_type}, which does not exist",
                f"one of {known}",
            )
    steps = config.ensemble_scheduling.step
    if not model.kind and not steps:
        yield "says neither backend nor platform", 'such as backend: "python"'
    if model.kind == ENSEMBLE and not steps:
        yield "an ensemble without steps", "ensemble_scheduling { step { … } }"
    if config.max_batch_size < 0:
        yield f"max_batch_size is {config.max_batch_size}", "0, which is no batching, or more"
