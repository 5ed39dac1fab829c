"""The graph of `<M>_encoder`: what one Python model computes on a CPU, for TensorRT.

The published network takes packed tokens and asks; this takes windows of one length and answers all
tasks, since what an engine computes cannot depend on the request. Axes: b texts of a batch, w
windows of a text, s places of a window (a bucket of the spec), d the width, all free here.

    INPUT_IDS      int32 [b, w, s]    token ids, special tokens included; after the end anything
    LENGTHS        int32 [b, w]       tokens of each window; 0: no window, its answers say nothing
    EMBEDDING_W    float32 [b, w, d]  of length 1
    LOGITS_<task>  float32 [b, w, c] of a sequence task, [b, w, s, c] of a token task: neither
                   divided by the temperature nor through a softmax
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from build_engines.errors import WeightsError
from build_engines.gpu import rewrite
from build_engines.gpu.dense import GRID, Dense, Rectangle, full
from build_engines.gpu.tensors import EMBEDDING, INPUT_IDS, LENGTHS, logits
from build_engines.signals.nodes import Nodes
from build_engines.signals.trunk import constants

POOLED = "sentence_embedding"
COMPARISONS = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual")


def published(folder: Path, trunk: Path | None = None) -> onnx.ModelProto:
    """The graph of the text model in `folder` of a repository.

    `trunk`: the network that branches are joined to, where `folder` holds none (in a wheel).
    Raises WeightsError where the network is built otherwise than export does.
    """
    try:
        return _published(folder, trunk)
    except WeightsError as error:
        raise WeightsError(f"{folder.name}: {error}") from None


def _published(folder: Path, trunk: Path | None) -> onnx.ModelProto:
    branches = folder / "1" / "branches.onnx"
    if not branches.is_file():
        return text_encoder((folder / "1" / "model.onnx").read_bytes(), {})
    network = (trunk or folder / "1" / "trunk.onnx").read_bytes()
    stated = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    kinds = {task: one["kind"] == "token" for task, one in stated.items()}
    return text_encoder(network + branches.read_bytes(), kinds)


def text_encoder(network: bytes, tasks: Mapping[str, bool]) -> onnx.ModelProto:
    """The graph from a packed network, with the branches of `tasks` (whether it is a token task).

    Raises WeightsError where the network is built otherwise than export does.
    """
    packed = onnx.load_from_string(network)
    graph = packed.graph
    stands = rewrite.widened(graph)
    body = rewrite.substituted(rewrite.inlined(graph.node), stands)
    _all_seen(body)
    nodes = Nodes("gpu")
    rectangle = full(nodes, INPUT_IDS, LENGTHS)
    dense = Dense(rectangle, constants(graph), nodes)
    dense.write(body)
    answers = _answers(nodes, graph, tasks, rectangle)
    made = rewrite.once(rewrite.substituted(nodes.made, dense.stands))
    made = rewrite.scaled_before(made, _numbers([*graph.initializer, *nodes.constants]))
    made = _heads_named(made, tasks)
    made = rewrite.named(rewrite.needed(made, [one.name for one in answers]))
    read = {name for node in made for name in node.input}
    weights = [one for one in [*graph.initializer, *nodes.constants] if one.name in read]
    inputs = [
        helper.make_tensor_value_info(INPUT_IDS, TensorProto.INT32, ["b", "w", "s"]),
        helper.make_tensor_value_info(LENGTHS, TensorProto.INT32, ["b", "w"]),
    ]
    result = helper.make_model(
        helper.make_graph(made, "encoder", inputs, answers, weights),
        opset_imports=packed.opset_import,
        ir_version=packed.ir_version,
    )
    onnx.checker.check_model(result)
    return result


def _all_seen(nodes: Iterable[onnx.NodeProto]) -> None:
    """Raises WeightsError where a token does not see its whole window. The mask of one that does
    asks alone where tokens are; sliding and causal ones compare places (encoders/attention.py).
    """
    compared = [one for one in nodes if one.op_type in COMPARISONS and one.input[0] != GRID]
    if compared:
        raise WeightsError(
            "sliding or causal attention, which no engine is built of yet: it is served on CPUs, "
            f"leave [gpu] out of its spec ({compared[0].output[0]} compares places)"
        )


def _answers(
    nodes: Nodes, graph: onnx.GraphProto, tasks: Mapping[str, bool], rectangle: Rectangle
) -> list[onnx.ValueInfoProto]:
    """Writes the outputs' nodes."""
    windows = nodes.add("Shape", LENGTHS)
    by_window = nodes.add("Concat", windows, nodes.integers(-1), axis=0)
    places = nodes.add("Shape", INPUT_IDS)
    by_place = nodes.add("Concat", places, nodes.integers(-1), axis=0)
    nodes.add("Reshape", POOLED, by_window, name=EMBEDDING)
    sizes = {one.name: one.type.tensor_type.shape.dim[-1].dim_value for one in graph.output}
    found = [_float(EMBEDDING, ["b", "w", sizes[POOLED] or "d"])]
    makers = {output: node for node in nodes.made for output in node.output}
    for task, token in tasks.items():
        raw = _raw(makers, f"probabilities_{task}")
        nodes.add("Reshape", raw, by_place if token else by_window, name=logits(task))
        classes = sizes[f"probabilities_{task}"]
        found.append(_float(logits(task), ["b", "w", *(["s"] if token else []), classes]))
    return found


def _numbers(weights: Iterable[onnx.TensorProto]) -> frozenset[str]:
    """The names of those that are one number."""
    return frozenset(one.name for one in weights if not one.dims)


def _heads_named(nodes: list[onnx.NodeProto], tasks: Iterable[str]) -> list[onnx.NodeProto]:
    """What a head computes gets the name of its output, for patterns such as `*/LOGITS_*`."""
    makers = {output: node for node in nodes for output in node.output}
    names: dict[str, str] = {}
    for task in tasks:
        total = makers[logits(task)].input[0]
        product = makers[total].input[0] if makers[total].op_type == "Add" else ""
        names |= {total: f"{logits(task)}/sum", product: f"{logits(task)}/product"}
    names.pop("", None)
    return [rewrite.renamed(node, names) for node in nodes]


def _raw(makers: Mapping[str, onnx.NodeProto], probabilities: str) -> str:
    """What is cooled and then normalised into `probabilities`."""
    softmax = makers.get(probabilities)
    cooled = makers.get(softmax.input[0]) if softmax and softmax.op_type == "Softmax" else None
    if cooled is None or cooled.op_type != "Div":
        raise WeightsError(f"{probabilities} is not the softmax of logits over a temperature")
    return str(cooled.input[0])


def _float(name: str, shape: list[str | int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
