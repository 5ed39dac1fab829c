"""The joined network with matrix products in int8, against the one that is served: same labels?
faster? Reported only. Runs in the environment of the engine builder, which has `onnx`:

    .venv-engines/bin/python -m perf.quantized [--texts 500] [--rounds 15]

Dynamic quantisation of the weights of MatMul, one scale a column; what is stacked by task (three
dimensions, small) stays as it is, because the kernel takes matrices alone. Texts: those of
goldens.json and an even choice of the written ones. CPU time is of one thread, one text a call.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

from perf.embedding_load import prose_of_length
from perf.record import circumstances, ratio, save
from perf.served import REPOSITORY, modules, settings
from perf.signals_process import SIGNALS, tasks
from perf.text_signals import OUTPUT

WRITTEN = Path(__file__).parent.parent / "build_engines/data"
LENGTHS = (16, 64, 256)
TEXTS = 6  # of each length, each round; the first of each arm is not counted

Reader: TypeAlias = Any  # of the served code, which has no package


def networks(folder: Path) -> tuple[bytes, bytes]:
    """The served network in float32, and in int8."""
    names = ("trunk.onnx", "branches.onnx")
    joined = b"".join((REPOSITORY / SIGNALS / "1" / name).read_bytes() for name in names)
    # Weights are stored as float16 and cast; the quantiser takes constants alone.
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "folded.onnx")
    ort.InferenceSession(
        joined, options, providers=["CPUExecutionProvider"], disabled_optimizers=["GeluFusion"]
    )
    model = onnx.load(folder / "folded.onnx")
    stacked = _stacked(model.graph, frozenset(), count())
    onnx.save(model, folder / "folded.onnx")
    quantize_dynamic(
        folder / "folded.onnx",
        folder / "int8.onnx",
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        weight_type=QuantType.QInt8,
        nodes_to_exclude=stacked,
        extra_options={"EnableSubgraph": True, "MatMulConstBOnly": True},
    )
    return joined, (folder / "int8.onnx").read_bytes()


def _stacked(graph: onnx.GraphProto, known: frozenset[str], numbers: Iterator[int]) -> list[str]:
    """Names of the products with three-dimensional weights; every node gets a name."""
    known |= {one.name for one in graph.initializer if len(one.dims) > 2}
    found: list[str] = []
    for node in graph.node:
        node.name = f"{node.op_type}_{next(numbers)}"
        if node.op_type == "MatMul" and not known.isdisjoint(node.input):
            found.append(node.name)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found += _stacked(attribute.g, known, numbers)
    return found


def readers(folder: Path) -> tuple[dict[str, Reader], dict[str, float]]:
    """Two readers over the same code, and megabytes."""
    found: dict[str, Reader] = {}
    sizes: dict[str, float] = {}
    module, encoder, sequences = modules(SIGNALS, "reader", "encoder", "sequences")
    limits = sequences.Limits.read(settings(SIGNALS))
    for name, network in zip(("float32", "int8"), networks(folder), strict=True):
        tokenizer = Tokenizer.from_file(str(REPOSITORY / SIGNALS / "tokenizer.json"))
        stated = module.Task.read(REPOSITORY / SIGNALS / "labels.json")
        found[name] = module.Reader(tokenizer, encoder.open_session(network, 1), limits, stated)
        found[name].warm()
        sizes[name] = round(len(network) / 1e6, 1)
    return found, sizes


def texts_to_compare(written: int) -> list[str]:
    goldens = json.loads((REPOSITORY / SIGNALS / "goldens.json").read_text(encoding="utf-8"))
    lines = [
        line.strip()
        for path in sorted(WRITTEN.glob("*/*.txt"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.strip() and not line.startswith("# ")
    ]
    chosen = np.linspace(0, len(lines) - 1, written).astype(int)
    return [*goldens["texts"], *(lines[at] for at in chosen)]


def agreement(one_reader: Reader, other_reader: Reader, texts: list[str]) -> dict[str, Any]:
    kinds = tasks()
    same: dict[str, list[bool]] = {name: [] for name in kinds}
    furthest = dict.fromkeys(kinds, 0.0)
    cosines = []
    for text in texts:
        one, other = (each.read([text], [list(kinds)]) for each in (one_reader, other_reader))
        cosines.append(float(one.embeddings[0] @ other.embeddings[0]))
        for name, kind in kinds.items():
            if kind == "token":
                left, right = (
                    {(e.start, e.stop, e.label) for e in read.entities[name][0]}
                    for read in (one, other)
                )
                same[name].append(left == right)
            else:
                p, q = one.probabilities[name][0], other.probabilities[name][0]
                same[name].append(bool(p.argmax() == q.argmax()))
                furthest[name] = max(furthest[name], float(np.abs(p - q).max()))
    labels = [one for rows in same.values() for one in rows]
    return {
        "texts": len(texts),
        "same labels, all tasks": round(float(np.mean(labels)), 4),
        "same labels": {name: round(float(np.mean(rows)), 4) for name, rows in same.items()},
        "largest difference of a probability": {
            name: round(furthest[name], 3) for name, kind in kinds.items() if kind == "sequence"
        },
        "cosine of embeddings, least": round(min(cosines), 4),
        "cosine of embeddings, median": round(median(cosines), 5),
    }


def speed(found: dict[str, Reader], rounds: int) -> dict[str, Any]:
    asked = list(tasks())
    spent: dict[int, dict[str, list[float]]] = {n: {name: [] for name in found} for n in LENGTHS}
    for turn in range(rounds):
        for tokens, arms in spent.items():
            texts = prose_of_length(tokens, TEXTS, seed=turn)
            for name, reader in list(found.items())[:: -1 if turn % 2 else 1]:
                reader.read(texts[:1], [asked])
                before = time.process_time()
                for text in texts[1:]:
                    reader.read([text], [asked])
                arms[name].append(1e3 * (time.process_time() - before) / (len(texts) - 1))
        print(f"quantized, round {turn + 1} of {rounds}", file=sys.stderr)
    return {
        f"{tokens} tokens": {
            "CPU, int8 / float32": ratio(arms["int8"], arms["float32"]),
            **{f"CPU ms a text, {name}": round(median(rows), 2) for name, rows in arms.items()},
        }
        for tokens, arms in spent.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=500, help="written ones")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    figures = circumstances(options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        found, sizes = readers(Path(folder))
    texts = texts_to_compare(options.texts)
    figures |= {"MB": sizes, **agreement(found["float32"], found["int8"], texts)}
    figures |= speed(found, options.rounds)
    save(options.output, "quantized", figures)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
