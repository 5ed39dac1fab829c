"""Pieces of a config.pbtxt for a model on GPUs, as text: the order and the comments are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from build_engines.fleet.spec import Fleet
from build_engines.gpu.spec import Gpu

# 1 is what a request with a guard's task states; one that states nothing has the default.
LEVELS = ("  priority_levels: 2", "  default_priority_level: 2")
ENGINE = "ENGINE"  # the rate limiter's resource: one for each device


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    kind: str  # INT32, FP32, BOOL, STRING
    dims: tuple[int, ...]  # of a row; -1 is free

    def shown(self, extra: str = "") -> str:
        dims = ", ".join(map(str, self.dims))
        return f'  {{ name: "{self.name}" data_type: TYPE_{self.kind} dims: [ {dims} ]{extra} }}'


@dataclass(frozen=True, slots=True)
class Sample:
    """One execution before the model is ready. `files`: tensor with its dims -> file in warmup/."""

    name: str
    batch: int
    files: Mapping[Tensor, str | None]  # None: zeros


def first(summary: str, spec: str) -> str:
    """The comment that says where the rest comes from."""
    return (
        f"# {summary}. Rendered by `python -m build_engines publish {spec}` "
        f"from build_engines/models/{spec}.toml."
    )


def tensors(inputs: Sequence[Tensor], outputs: Sequence[Tensor], ragged: bool = False) -> list[str]:
    """`ragged`: requests come together whatever the shapes of their inputs."""
    extra = " allow_ragged_batch: true" if ragged else ""
    rows = [one.shown(extra if -1 in one.dims else "") for one in inputs]
    found = ["input [", ",\n".join(rows), "]"]
    return [*found, "output [", ",\n".join(one.shown() for one in outputs), "]"]


def processes(count: int) -> str:
    """Instances of a step in Python."""
    return f"instance_group [ {{ kind: KIND_CPU count: {count} }} ]"


def devices(gpu: Gpu, fleet: Fleet, kind: str, profiles: Sequence[int] = ()) -> list[str]:
    """Instances of an engine on every GPU, and who goes first where engines share one."""
    listed = ", ".join(f'"{one}"' for one in profiles)
    profile = [f"    profile: [ {listed} ]"] if profiles else []
    return [
        "instance_group [",
        "  {",
        f"    kind: {kind}",
        f"    count: {gpu.instances}",
        *profile,
        "    # Where the server has --rate-limit=execution_count: engines of a device take turns.",
        "    rate_limiter {",
        f'      resources [ {{ name: "{ENGINE}" count: 1 }} ]',
        f"      priority: {fleet.priority}",
        "    }",
        "  }",
        "]",
    ]


def streams(fleet: Fleet) -> list[str]:
    """The priority of a TensorRT model's CUDA streams, among those of the device."""
    return ["optimization { priority: PRIORITY_MAX }"] if fleet.priority == 1 else []


def batching(
    fleet: Fleet, sizes: Sequence[int] = (), *, queue: bool = True, guards: bool = False
) -> list[str]:
    """`sizes` are preferred. No delay: while an instance is busy the queue fills by itself.
    `guards`: requests that carry one say so, and go first."""
    preferred = f"  preferred_batch_size: [ {', '.join(map(str, sizes))} ]"
    most = [f"    max_queue_size: {fleet.queue}"] if queue else []
    return [
        "# No queue delay: while an instance is busy the queue fills by itself.",
        "dynamic_batching {",
        *([preferred] if sizes else []),
        *(LEVELS if guards else []),
        "  default_queue_policy {",
        "    timeout_action: REJECT",
        f"    default_timeout_microseconds: {fleet.timeout_ms * 1000}",
        "    allow_timeout_override: true",
        *most,
        "  }",
        "}",
    ]


def warmup(samples: Iterable[Sample]) -> list[str]:
    rows = []
    for sample in samples:
        rows += ["  {", f'    name: "{sample.name}"', f"    batch_size: {sample.batch}"]
        for tensor, file in sample.files.items():
            dims = ", ".join(map(str, tensor.dims))
            data = "zero_data: true" if file is None else f'input_data_file: "{file}"'
            rows.append(
                f'    inputs {{ key: "{tensor.name}" value '
                f"{{ data_type: TYPE_{tensor.kind} dims: [ {dims} ] {data} }} }}"
            )
        rows.append("  },")
    rows[-1] = "  }"
    return ["model_warmup [", *rows, "]"]


def parameters(values: Mapping[str, str]) -> list[str]:
    return [
        f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}'
        for key, value in values.items()
    ]


def step(model: str, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> list[str]:
    """Of an ensemble: tensor -> its name between the steps."""
    maps = [f'    input_map {{ key: "{key}" value: "{name}" }}' for key, name in inputs.items()]
    maps += [f'    output_map {{ key: "{key}" value: "{name}" }}' for key, name in outputs.items()]
    return ["  step {", f'    model_name: "{model}"', "    model_version: -1", *maps, "  }"]
