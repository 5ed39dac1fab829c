"""The graph of an image encoder for TensorRT, and the golden pictures as pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from build_engines.gpu import rewrite
from build_engines.vision.job import VisionJob
from build_engines.vision.served import preprocessor


def picture_encoder(network: bytes) -> onnx.ModelProto:
    """PIXELS to EMBEDDING and KNOWN as exported, with weights in float32 and named nodes."""
    model = onnx.load_from_string(network)
    graph = model.graph
    stands = rewrite.widened(graph)
    outputs = [one.name for one in graph.output]
    nodes = rewrite.once(rewrite.substituted(graph.node, stands))
    nodes = rewrite.named(rewrite.needed(nodes, outputs))
    read = {name for node in nodes for name in node.input}
    weights = [one for one in graph.initializer if one.name in read]
    result = helper.make_model(
        helper.make_graph(nodes, "encoder", graph.input, graph.output, weights),
        opset_imports=model.opset_import,
        ir_version=model.ir_version,
    )
    onnx.checker.check_model(result)
    return result


def published(folder: Path) -> onnx.ModelProto:
    """Of the image encoder in `folder` of a repository."""
    return picture_encoder((folder / "1" / "model.onnx").read_bytes())


def golden(job: VisionJob) -> npt.NDArray[np.float32]:
    """PIXELS of the golden pictures, as the served preprocessing makes them."""
    pixels, _ = preprocessor(job)
    return np.stack([pixels(path.read_bytes()) for path in job.shown()])
