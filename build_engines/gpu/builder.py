"""A graph into a plan, by TensorRT 10 or 11.

TensorRT 10 is given the float32 graph, told by flags what it may compute narrow, and by each kept
layer that it must not. TensorRT 11 has neither flags nor layers' precisions: its networks are
strongly typed, so it is given the typed graph (precision.py), as is 10 where `typed` says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsInt, cast

from build_engines.errors import TargetError
from build_engines.gpu import bindings
from build_engines.gpu.bindings import Config, Layer, Members, Network, TensorRT
from build_engines.gpu.hardware import LEVELS, Hardware
from build_engines.gpu.profiles import Profile
from build_engines.gpu.spec import Precision

# Precision -> the flag of 10 that allows it.
FLAGS: dict[Precision, str] = {"fp16": "FP16", "bf16": "BF16"}
_SEVERAL = re.compile(r"_\d+$")  # the parser's mark of a node that became more than one layer


@dataclass(frozen=True, slots=True)
class Options:
    """How an engine is built. `kept`: names of nodes that stay float32. `workspace` in MiB."""

    precision: Precision
    kept: frozenset[str]
    workspace: int
    hardware: Hardware = Hardware.SAME
    versions: bool = False  # runs with later versions of TensorRT too, more slowly
    typed: bool = False  # 10: precision by the graph's types, as 11 has it

    def strongly_typed(self, version: str) -> bool:
        """Whether TensorRT `version` is to be given the typed graph."""
        return self.typed or bindings.major(version) >= 11


@dataclass(frozen=True, slots=True)
class Built:
    plan: bytes
    timings: bytes  # the timing cache after the build
    layers: int  # of the network, before TensorRT fuses them
    layers_fp32: int  # that were told to stay


def build(
    trt: TensorRT,
    graph: bytes,
    profiles: Sequence[Profile],
    options: Options,
    timings: bytes = b"",
) -> Built:
    """`graph`: typed where `options.strongly_typed`, else float32. `timings`: an earlier build's.

    Raises TargetError with TensorRT's own words where it cannot read the graph or build the plan.
    """
    strong = options.strongly_typed(trt.__version__)
    logger = trt.Logger(trt.Logger.WARNING)
    builder = trt.Builder(logger)
    network = builder.create_network(_network_flags(trt, strong))
    _parse(trt, network, logger, graph)
    config = builder.create_builder_config()
    told = _configure(trt, config, network, options, strong)
    for profile in profiles:
        made = builder.create_optimization_profile()
        for name, one in profile.inputs.items():
            made.set_shape(name, one.least, one.optimal, one.most)
        if config.add_optimization_profile(made) < 0:
            raise TargetError(f"TensorRT refuses the profile of {profile.name}: {profile.inputs}")
    _remember(config, timings)
    plan = builder.build_serialized_network(network, config)
    if plan is None:
        raise TargetError("TensorRT built no plan; what it said stands above")
    return Built(
        bytes(plan), bytes(config.get_timing_cache().serialize()), network.num_layers, told
    )


def _network_flags(trt: TensorRT, strong: bool) -> int:
    name = "STRONGLY_TYPED" if strong else "EXPLICIT_BATCH"
    return 1 << int(_member(trt, trt.NetworkDefinitionCreationFlag, name))


def _parse(trt: TensorRT, network: Network, logger: object, graph: bytes) -> None:
    parser = trt.OnnxParser(network, logger)
    if not parser.parse(graph):
        said = "; ".join(str(parser.get_error(at)) for at in range(parser.num_errors))
        raise TargetError(f"TensorRT {trt.__version__} cannot read the graph: {said}")


def _configure(
    trt: TensorRT, config: Config, network: Network, options: Options, strong: bool
) -> int:
    """How many layers were told to stay float32."""
    config.set_memory_pool_limit(
        _member(trt, trt.MemoryPoolType, "WORKSPACE"), options.workspace << 20
    )
    # Else what stays float32 is multiplied with ten bits of it.
    config.clear_flag(_member(trt, trt.BuilderFlag, "TF32"))
    level = LEVELS[options.hardware]
    config.hardware_compatibility_level = _member(trt, trt.HardwareCompatibilityLevel, level)
    if options.versions:
        config.set_flag(_member(trt, trt.BuilderFlag, "VERSION_COMPATIBLE"))
    if strong or options.precision == "fp32":
        return 0
    config.set_flag(_member(trt, trt.BuilderFlag, FLAGS[options.precision]))
    config.set_flag(_member(trt, trt.BuilderFlag, "OBEY_PRECISION_CONSTRAINTS"))
    wide = _member(trt, trt.DataType, "FLOAT")
    told = [_keep(layer, wide) for layer in _layers(network) if _called(layer.name, options.kept)]
    if options.kept and not any(told):
        raise TargetError(f"no layer of the network has the name of a kept node: {options.kept}")
    return sum(told)


def _layers(network: Network) -> list[Layer]:
    return [network.get_layer(at) for at in range(network.num_layers)]


def _called(name: str, kept: frozenset[str]) -> bool:
    return name in kept or _SEVERAL.sub("", name) in kept


def _keep(layer: Layer, wide: object) -> bool:
    """Whether it computes floats at all: of a shape or an index nothing is told."""
    floats = [at for at in range(layer.num_outputs) if layer.get_output(at).dtype == wide]
    if not floats:
        return False
    layer.precision = wide
    for at in floats:
        layer.set_output_type(at, wide)
    return True


def _remember(config: Config, timings: bytes) -> None:
    """Timings of another GPU or version are no use: TensorRT says so, and begins anew."""
    if timings and config.set_timing_cache(
        config.create_timing_cache(timings), ignore_mismatch=False
    ):
        return
    config.set_timing_cache(config.create_timing_cache(b""), ignore_mismatch=False)


def _member(trt: TensorRT, kind: Members, name: str) -> SupportsInt:
    """Raises TargetError where this version has none of the name."""
    found = kind.__members__.get(name)
    if found is None:
        raise TargetError(f"TensorRT {trt.__version__} has no {name}")
    return cast(SupportsInt, found)
