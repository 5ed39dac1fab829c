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
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedModel

from build_engines import receipt, weights
from build_engines.encoders import modules
from build_engines.encoders.attention import PACKED, register, states
from build_engines.encoders.families import family_of
from build_engines.errors import WeightsError
from build_engines.job import Job, sha256
from build_engines.receipt import Receipt
from build_engines.spec import Spec

OUTPUT = "sentence_embedding"
# Below this many numbers a tensor stays float32: it saves nothing, and biases keep their bits.
COMPACT_FROM = 4096
MOST_BYTES = 2**31 - 2**24  # of weights in one ONNX file, and some room for the graph
PROBE = "a b"


# torch has types only where it is installed.
class SentenceNetwork(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """An encoder loaded with `attention=PACKED`, pooling over its last layer, length 1.

    `dense` comes between pooling and length.
    """

    def __init__(
        self, encoder: PreTrainedModel, pooling: str, dense: Sequence[torch.nn.Module] = ()
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.dense = torch.nn.Sequential(*dense)
        self.pooling = pooling
        self.family = family_of(encoder.config)

    def forward(
        self, input_ids: torch.Tensor, grid: torch.Tensor, place: torch.Tensor
    ) -> torch.Tensor:
        hidden, real, grid = states(self.encoder, self.family, input_ids, grid, place)
        pooled = self.dense(pool(hidden, real, grid, self.pooling))
        return torch.nn.functional.normalize(pooled, dim=-1)


def pool(
    hidden: torch.Tensor, real: torch.Tensor, grid: torch.Tensor, pooling: str
) -> torch.Tensor:
    """One vector a row, [rows, d], from what `states` gives."""
    if pooling == "last":
        last = real.sum(1, keepdim=True).to(torch.int64) - 1
        return hidden.index_select(0, grid.gather(1, last)[:, 0])
    rows = torch.nn.functional.embedding(grid, hidden)
    if pooling == "cls":
        return rows[:, 0]
    return (rows * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)


def run(job: Job[Spec]) -> str:
    """The step: find the checkpoint, export it, leave a receipt. Returns a line for people."""
    checkpoint = weights.find(job.spec, job.root, job.revision)
    outputs = export(job.spec, checkpoint.folder, job.build)
    receipt.write(
        Receipt(
            step="export",
            command=job.command("export"),
            spec=job.spec.digest(),
            inputs={},
            outputs=job.hashes(outputs),
            figures={
                "source": checkpoint.source,
                "files": {name: sha256(checkpoint.folder / name) for name in job.spec.files},
            },
            versions=receipt.versions(),
        ),
        job,
    )
    megabytes = sum(path.stat().st_size for path in outputs) / 1e6
    return f"{job.spec.name}: exported {checkpoint.source}, {megabytes:.1f} MB"


def export(spec: Spec, folder: Path, build: Path) -> list[Path]:
    """Write the network and the tokenizer of the checkpoint in `folder` into `build`."""
    modules.check(spec, folder)
    tokenizer = uncut_tokenizer(folder)
    register()
    encoder = weights.load(folder, spec.ignore, attention=PACKED)
    network = SentenceNetwork(encoder, spec.pooling, modules.dense(spec, folder)).eval()
    check_sizes(spec, network)
    build.mkdir(parents=True, exist_ok=True)
    model = to_onnx(network, spec.onnx.opset)
    if spec.onnx.storage == "float16":
        compact(model)
    onnx.checker.check_model(model)
    (build / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (build / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
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
        with np.errstate(over="ignore"):
            half = numpy_helper.to_array(tensor).astype(np.float16)
        if not np.isfinite(half).all():
            raise WeightsError(f"{name}: a weight is too large for float16")
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


def check_sizes(spec: Spec, network: SentenceNetwork) -> None:
    """Raises WeightsError where the network is not as wide, long or small as the spec needs."""
    layers = [one.out_features for one in network.dense if isinstance(one, torch.nn.Linear)]
    width = layers[-1] if layers else network.encoder.config.hidden_size
    if width != spec.dimension:
        raise WeightsError(f"{spec.name}: gives {width} numbers, the spec says {spec.dimension}")
    places = network.family.places
    if spec.text.window > places:
        raise WeightsError(
            f"{spec.name}: knows {places} places, the spec says windows of {spec.text.window}"
        )
    size = 2 if spec.onnx.storage == "float16" else 4
    total = size * sum(one.numel() for one in network.parameters())
    if total > MOST_BYTES:
        raise WeightsError(
            f"{spec.name}: {total / 1e9:.1f} GB of weights as {spec.onnx.storage}, and an ONNX "
            "file holds 2; storage float16 halves them"
        )


def uncut_tokenizer(folder: Path) -> str:
    """The checkpoint's tokenizer without its truncation and padding.

    Checkpoints carry those of their training (128 tokens here, where the network reads 256): text
    would be cut without a word. Raises WeightsError where transformers, from the other files of
    the checkpoint, frames a text otherwise than `tokenizer.json`: one of the two is wrong.
    """
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n"
    ours = Tokenizer.from_str(text).encode(PROBE).ids
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)(PROBE)["input_ids"]
    if ours != theirs:
        raise WeightsError(f"{path}: reads {PROBE!r} as {ours}, transformers as {theirs}")
    return text


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
