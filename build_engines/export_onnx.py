"""A checkpoint into `model.onnx` and `tokenizer.json`.

The network takes `input_ids` and `attention_mask` (int64 [batch, tokens]) and gives unit embeddings
(float32 [batch, d]), pooling included. The same checkpoint gives the same bytes.
"""

import json
import logging
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from transformers import PreTrainedModel

from build_engines import receipt, weights
from build_engines.errors import WeightsError
from build_engines.job import Job
from build_engines.receipt import Receipt
from build_engines.spec import Spec

OUTPUT = "sentence_embedding"
# Below this many numbers a tensor stays float32: it saves nothing, and biases keep their bits.
COMPACT_FROM = 4096


# torch has types only where it is installed.
class SentenceNetwork(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """An encoder, pooling over its last layer, length 1."""

    def __init__(self, encoder: PreTrainedModel, pooling: str) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        weight = attention_mask.unsqueeze(-1).to(torch.float32)
        # Four dimensions go to the attention as they are; -1e4 is 0 after a softmax in float32.
        bias = ((attention_mask.to(torch.float32) - 1) * 1e4)[:, None, None, :]
        hidden = self.encoder(
            input_ids=input_ids,
            attention_mask=bias,
            token_type_ids=torch.zeros_like(input_ids),
        ).last_hidden_state
        pooled = (
            hidden[:, 0]
            if self.pooling == "cls"
            else (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
        )
        return torch.nn.functional.normalize(pooled, dim=-1)


def run(job: Job) -> str:
    """The step: find the checkpoint, export it, leave a receipt. Returns a line for people."""
    checkpoint = weights.find(job.spec, job.root)
    outputs = export(job.spec, checkpoint.folder, job.build)
    receipt.write(
        Receipt(
            step="export",
            command=job.command("export"),
            spec=job.spec.digest(),
            inputs={},
            outputs=job.hashes(outputs),
            figures={"source": checkpoint.source, "files": job.spec.files},
            versions=receipt.versions(),
        ),
        job,
    )
    megabytes = sum(path.stat().st_size for path in outputs) / 1e6
    return f"{job.spec.name}: exported {checkpoint.source}, {megabytes:.1f} MB"


def export(spec: Spec, folder: Path, build: Path) -> list[Path]:
    """Write the network and the tokenizer of the checkpoint in `folder` into `build`."""
    _check_described(spec, folder)
    network = SentenceNetwork(weights.load(folder, spec.ignore), spec.pooling).eval()
    build.mkdir(parents=True, exist_ok=True)
    model = to_onnx(network, spec.onnx.opset)
    if spec.onnx.storage == "float16":
        compact(model)
    onnx.checker.check_model(model)
    (build / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (build / "tokenizer.json").write_text(
        uncut_tokenizer(folder / "tokenizer.json"), encoding="utf-8"
    )
    return [build / "model.onnx", build / "tokenizer.json"]


def to_onnx(network: SentenceNetwork, opset: int) -> onnx.ModelProto:
    """The network as one graph with free batch and length, without traces of this machine."""
    ids = torch.arange(100, 118).reshape(2, 9)  # a batch of 1 would be baked in
    mask = torch.ones_like(ids)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", min=2)}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            network,
            (ids, mask),
            dynamo=True,
            dynamic_shapes={"input_ids": axes, "attention_mask": axes},
            input_names=["input_ids", "attention_mask"],
            output_names=[OUTPUT],
            opset_version=opset,
            verbose=False,
        )
    assert program is not None
    model: onnx.ModelProto = program.model_proto
    _strip(model)
    return model


def compact(model: onnx.ModelProto) -> None:
    """Store large float32 weights as float16 followed by a Cast: the runtime folds it at load.

    A looked-up table keeps float16 in memory too: only the looked-up rows are cast.
    """
    graph = model.graph
    large = {
        tensor.name: tensor
        for tensor in graph.initializer
        if tensor.data_type == TensorProto.FLOAT and np.prod(tensor.dims) >= COMPACT_FROM
    }
    casts = []
    for name, tensor in large.items():
        half = numpy_helper.to_array(tensor).astype(np.float16)
        stored = f"{name}.half"
        tensor.CopyFrom(numpy_helper.from_array(half, stored))
        users = [node for node in graph.node if name in node.input]
        if all(node.op_type == "Gather" for node in users):
            casts += [(node, _cast_after(node, stored)) for node in users]
        else:
            graph.node.insert(0, helper.make_node("Cast", [stored], [name], to=TensorProto.FLOAT))
    for node, cast in casts:
        graph.node.insert(list(graph.node).index(node) + 1, cast)


def _cast_after(gather: onnx.NodeProto, table: str) -> onnx.NodeProto:
    looked_up = gather.output[0]
    gather.input[0] = table
    gather.output[0] = f"{looked_up}.half"
    return helper.make_node("Cast", [gather.output[0]], [looked_up], to=TensorProto.FLOAT)


def uncut_tokenizer(path: Path) -> str:
    """The checkpoint's tokenizer without its truncation and padding.

    Checkpoints carry those of their training (128 tokens here, where the network reads 256): text
    would be cut without a word.
    """
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n"


def _strip(model: onnx.ModelProto) -> None:
    """Remove what names files and versions of this machine."""
    del model.metadata_props[:]
    graph = model.graph
    graph.doc_string = ""
    del graph.metadata_props[:]
    del graph.value_info[:]
    for part in (*graph.node, *graph.initializer, *graph.input, *graph.output):
        part.doc_string = ""
        del part.metadata_props[:]


def _check_described(spec: Spec, folder: Path) -> None:
    """The checkpoint's own pooling and window, where it states them, are the spec's."""
    pooling = folder / "1_Pooling" / "config.json"
    if pooling.is_file():
        stated = json.loads(pooling.read_text(encoding="utf-8"))
        modes = [key for key, value in stated.items() if key.startswith("pooling_mode_") and value]
        known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
        if [known.get(mode, mode) for mode in modes] != [spec.pooling]:
            raise WeightsError(f"{pooling}: pools by {modes}, the spec says {spec.pooling!r}")
    window = folder / "sentence_bert_config.json"
    if window.is_file():
        size = json.loads(window.read_text(encoding="utf-8"))["max_seq_length"]
        if size != spec.text.window:
            raise WeightsError(f"{window}: reads {size} tokens, the spec says {spec.text.window}")
