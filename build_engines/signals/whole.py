"""Tasks over an encoder whose layers `branches.py` does not write: each is exported from PyTorch.

A task runs all layers by itself, as adapters that change every layer need anyway. What it has in
common with the trunk is stored once: a weight that is the trunk's, bit for bit, is the trunk's.
LoRA matrices stay beside the weights that they change, so six tasks are hardly larger than one.
Inputs and outputs are those of `branches.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from peft import PeftModel
from transformers import PreTrainedModel

from build_engines import export_onnx, weights
from build_engines.encoders.attention import PACKED, register, states
from build_engines.encoders.families import family_of
from build_engines.errors import WeightsError
from build_engines.signals import classifiers
from build_engines.signals.job import Labels, SignalsJob
from build_engines.signals.nodes import Nodes

INPUTS = ("input_ids", "grid", "place")
POOLS = {"modernbert": None, "xlm-roberta": "cls"}  # None: as its config says


# torch has types only where it is installed.
class TaskNetwork(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """A classifier loaded with `attention=PACKED`; probabilities of rows, or of tokens."""

    def __init__(self, model: PreTrainedModel | PeftModel, kind: str, heat: float) -> None:
        super().__init__()
        self.model = classifiers.inner(model)
        self.family = family_of(self.model.config)
        self.kind, self.heat = kind, heat
        architecture = self.model.config.model_type
        if architecture not in POOLS:
            raise WeightsError(f"no classifiers over {architecture!r}; over {', '.join(POOLS)}")
        self.pooling = POOLS[architecture] or self.model.config.classifier_pooling

    def forward(
        self, input_ids: torch.Tensor, grid: torch.Tensor, place: torch.Tensor
    ) -> torch.Tensor:
        model = self.model
        hidden, real, grid = states(model.base_model, self.family, input_ids, grid, place)
        if self.kind == "sequence":
            hidden = export_onnx.pool(hidden, real, grid, self.pooling)
        if hasattr(model, "head"):
            logits = model.classifier(model.head(hidden))
        elif self.kind == "sequence":
            logits = model.classifier(hidden[:, None, :])  # takes the first token of each row
        else:
            logits = model.classifier(hidden)
        return torch.softmax(logits / self.heat, -1)


@dataclass(slots=True)
class Trunk:
    """Where the trunk's weights are in its graph: by content."""

    stored: dict[bytes, str] = field(default_factory=dict)  # digest -> initializer
    casts: dict[str, str] = field(default_factory=dict)  # initializer -> its float32

    @classmethod
    def read(cls, path: Path) -> Trunk:
        graph = onnx.load(path).graph
        found = cls({_digest(one): one.name for one in graph.initializer})
        names = set(found.stored.values())
        found.casts = {
            node.input[0]: node.output[0]
            for node in graph.node
            if node.op_type == "Cast" and node.input[0] in names
        }
        return found


def added(job: SignalsJob) -> onnx.ModelProto:
    """A message to join to the trunk's bytes; not a model by itself. Raises WeightsError."""
    register()
    spec = job.spec.encoder()
    checkpoint = weights.find(spec, job.root, job.revision).folder
    trunk = Trunk.read(job.network)
    part = onnx.ModelProto()
    for name, task in job.spec.tasks.items():
        if task.layers is not None:
            raise WeightsError(f"{name}: `layers` is for a BERT alone")
        model = classifiers.load(
            checkpoint, spec.ignore, task.kind, job.adapters / name, attention=PACKED
        )
        heat = Labels.read(job.adapters / name).temperature
        network = TaskNetwork(model, task.kind, heat).eval()
        graph = export_onnx.to_onnx(network, spec.onnx.opset)
        if spec.onnx.storage == "float16":
            export_onnx.compact(graph)
        if graph.functions:
            raise WeightsError(f"{name}: exported as functions, which cannot be joined")
        _put(part, trunk, name, graph.graph, classes=len(_classifier(network)))
    return part


def _classifier(network: TaskNetwork) -> torch.Tensor:
    """Its biases, of which there is one a class."""
    biases = [
        one
        for name, one in network.model.named_parameters()
        if name.startswith("classifier") and name.endswith("bias")
    ]
    return biases[-1]


def _put(
    part: onnx.ModelProto, trunk: Trunk, task: str, graph: onnx.GraphProto, classes: int
) -> None:
    """The task's graph where it is asked; its weights, and what makes them float32, outside."""
    output = f"probabilities_{task}"
    names = _names(trunk, task, graph) | {graph.output[0].name: f"{output}/then"}
    own = [one for one in graph.initializer if names[one.name].startswith(f"{task}/")]
    stored = {one.name for one in graph.initializer}
    nodes = Nodes(task)
    with nodes.only_if(f"ask_{task}", output, np.zeros((0, classes), np.float32)):
        for node in graph.node:
            if node.op_type == "Cast" and node.input[0] in stored:
                if names[node.input[0]].startswith(f"{task}/"):
                    part.graph.node.append(_renamed(node, names))
                continue
            nodes.made.append(_renamed(node, names))
    for tensor in own:
        tensor.name = names[tensor.name]
    part.graph.initializer.extend(own)
    part.graph.node.extend(nodes.made)
    part.graph.initializer.extend(nodes.constants)
    part.graph.input.append(helper.make_tensor_value_info(f"ask_{task}", TensorProto.BOOL, []))
    part.graph.output.append(
        helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, classes])
    )


def _names(trunk: Trunk, task: str, graph: onnx.GraphProto) -> dict[str, str]:
    """Each value of the task's graph -> its name in the joined one."""
    names = {name: name for name in INPUTS} | {"": ""}
    for tensor in graph.initializer:
        names[tensor.name] = trunk.stored.get(_digest(tensor), f"{task}/{tensor.name}")
    for node in graph.node:
        shared = names.get(node.input[0]) if node.op_type == "Cast" else None
        for name in node.output:
            names[name] = trunk.casts.get(shared or "", f"{task}/{name}")
    return names


def _renamed(node: onnx.NodeProto, names: Mapping[str, str]) -> onnx.NodeProto:
    if any(one.g.node or one.graphs for one in node.attribute):
        raise WeightsError(f"{node.name}: a graph within a graph cannot be joined")
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.name = ""
    made.input[:] = [names[name] for name in node.input]
    made.output[:] = [names[name] for name in node.output]
    return made


def _digest(tensor: onnx.TensorProto) -> bytes:
    return hashlib.sha256(b"".join(_content(tensor))).digest()


def _content(tensor: onnx.TensorProto) -> Iterator[bytes]:
    yield repr((tensor.data_type, list(tensor.dims))).encode()
    yield onnx.numpy_helper.to_array(tensor).tobytes()
