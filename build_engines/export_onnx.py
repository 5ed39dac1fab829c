"""A checkpoint into `model.onnx` and `tokenizer.json`.

The network takes windows end to end, without padding, so that its matrix products waste nothing and
short texts share one pass over the weights. Only attention needs a rectangle. Inputs, int64:

    input_ids [tokens]         of all rows, end to end
    grid      [rows, longest]  index into input_ids, -1 where a row has ended
    place     [tokens]         index of each token in the rectangle, read row by row

The output is float32 [rows, d], each row of length 1, pooling included. The same checkpoint gives
the same bytes.
"""

import json
import logging
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from transformers import AttentionInterface, PreTrainedModel

from build_engines import receipt, weights
from build_engines.errors import WeightsError
from build_engines.job import Job
from build_engines.receipt import Receipt
from build_engines.spec import Spec

OUTPUT = "sentence_embedding"
PACKED = "packed"
# Below this many numbers a tensor stays float32: it saves nothing, and biases keep their bits.
COMPACT_FROM = 4096


# torch has types only where it is installed.
class SentenceNetwork(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """An encoder loaded with `attention=PACKED`, pooling over its last layer, length 1."""

    def __init__(self, encoder: PreTrainedModel, pooling: str) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling

    def forward(
        self, input_ids: torch.Tensor, grid: torch.Tensor, place: torch.Tensor
    ) -> torch.Tensor:
        real = grid.ge(0).to(torch.float32)
        grid = grid.clamp(min=0)
        columns = torch.arange(grid.shape[1]).expand(grid.shape).reshape(-1)
        hidden = self.encoder(
            input_ids=input_ids[None],
            # Four dimensions go to the attention as they are; -1e4 is 0 after a softmax.
            attention_mask=(real - 1)[:, None, None, :] * 1e4,
            position_ids=columns.index_select(0, place)[None],
            token_type_ids=torch.zeros_like(input_ids)[None],
            grid=grid,
            place=place,
        ).last_hidden_state[0]
        rows = torch.nn.functional.embedding(grid, hidden)
        pooled = (
            rows[:, 0]
            if self.pooling == "cls"
            else (rows * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        )
        return torch.nn.functional.normalize(pooled, dim=-1)


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor,
    scaling: float,
    grid: torch.Tensor,
    place: torch.Tensor,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Attention of [1, heads, tokens, d] within the rows of `grid`; gives [1, tokens, heads, d]."""
    heads, size = query.shape[1], query.shape[3]

    def rows(flat: torch.Tensor) -> torch.Tensor:
        wide = torch.nn.functional.embedding(grid, flat.transpose(1, 2).reshape(-1, heads * size))
        return wide.reshape(*grid.shape, heads, size).transpose(1, 2)

    scores = torch.matmul(rows(query), rows(key).transpose(2, 3)) * scaling + attention_mask
    seen = torch.matmul(torch.softmax(scores, -1), rows(value))
    flat = seen.transpose(1, 2).reshape(-1, heads * size)
    return torch.nn.functional.embedding(place, flat).reshape(1, -1, heads, size), None


def run(job: Job[Spec]) -> str:
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
    AttentionInterface.register(PACKED, packed_attention)
    encoder = weights.load(folder, spec.ignore, attention=PACKED)
    network = SentenceNetwork(encoder, spec.pooling).eval()
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
    """The network as one graph with free sizes, without traces of this machine."""
    lengths = (9, 6, 4)  # one row, or rows of one length, would be baked in
    columns = torch.arange(max(lengths))
    real = columns < torch.tensor(lengths)[:, None]
    place = torch.nonzero(real.reshape(-1))[:, 0]
    grid = torch.full(real.shape, -1)
    grid[real] = torch.arange(len(place))
    tokens, rows = torch.export.Dim("tokens", min=2), torch.export.Dim("rows")
    longest = torch.export.Dim("longest", min=2)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            network,
            (torch.arange(len(place)), grid, place),
            dynamo=True,
            dynamic_shapes={
                "input_ids": {0: tokens},
                "grid": {0: rows, 1: longest},
                "place": {0: tokens},
            },
            input_names=["input_ids", "grid", "place"],
            output_names=[OUTPUT],
            opset_version=opset,
            verbose=False,
        )
    assert program is not None
    model: onnx.ModelProto = program.model_proto
    strip(model)
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


def strip(model: onnx.ModelProto) -> None:
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
