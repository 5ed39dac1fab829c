"""Windows as a GPU form's first step gives them, and what the CPU form says of each."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import tokenizers

from build_engines.job import ROOT
from build_engines.signals.served import code
from tests.build_engines.packing import packed

REPOSITORY = ROOT / "model_repository"
SETTINGS = {"window": 256, "overlap": 32, "max_windows": 16, "max_characters": 65536}
RUNNING = {"max_tokens": 1024, "padding": 0.4}
# What stands where a window has ended: any token, so that nothing passes by being 0.
JUNK = 1012


@dataclass(frozen=True)
class Told:
    """Of one window, by the CPU form."""

    embedding: np.ndarray  # [d]
    probabilities: dict[str, np.ndarray]  # [classes], or [tokens, classes] of a token task


def goldens(model):
    return json.loads((REPOSITORY / model / "goldens.json").read_text(encoding="utf-8"))


def windows_of(texts):
    """The windows of each text: token ids, special tokens included."""
    module = code(REPOSITORY / "text_signals" / "1")
    tokenizer = tokenizers.Tokenizer.from_file(str(REPOSITORY / "text_embedding/tokenizer.json"))
    limits = module.Limits.read({key: str(value) for key, value in (SETTINGS | RUNNING).items()})
    cut = module.Cutter(tokenizer, limits).cut(texts)
    rows = iter(cut.sequences)
    return [[next(rows) for _ in range(count)] for count in cut.counts]


def rectangle(texts, places):
    """INPUT_IDS and LENGTHS of texts, each a list of windows."""
    widest = max(map(len, texts))
    ids = np.full((len(texts), widest, places), JUNK, np.int32)
    lengths = np.zeros((len(texts), widest), np.int32)
    for text, windows in enumerate(texts):
        for at, window in enumerate(windows):
            ids[text, at, : len(window)] = window
            lengths[text, at] = len(window)
    return {"INPUT_IDS": ids, "LENGTHS": lengths}


def told(session, window, kinds):
    """The CPU form's network over one window alone, all tasks asked."""
    flags = {f"ask_{task}": np.array(True) for task in kinds}
    outputs = ["sentence_embedding", *(f"probabilities_{task}" for task in kinds)]
    (embedding,), *rows = session.run(outputs, packed([window]) | flags)
    said = {
        task: row if token else row[0]
        for (task, token), row in zip(kinds.items(), rows, strict=True)
    }
    return Told(embedding, said)


def softmax(logits, temperature):
    cooled = logits.astype(np.float64) / temperature
    raised = np.exp(cooled - cooled.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def session(network):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def gaps(answers, text, at, window, expected, kinds, heats):
    """The greatest difference of one window's answers to the CPU form's, by output."""
    rows = {name: value[text, at] for name, value in answers.items()}
    found = {"EMBEDDING_W": float(np.abs(rows["EMBEDDING_W"] - expected.embedding).max())}
    for task, token in kinds.items():
        logits = rows[f"LOGITS_{task}"][: len(window)] if token else rows[f"LOGITS_{task}"]
        said = softmax(logits, heats[task])
        found[task] = float(np.abs(said - expected.probabilities[task]).max())
    return found


def labels(folder: Path):
    """Whether each task is a token task, and its temperature."""
    path = folder / "labels.json"
    stated = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    kinds = {task: one["kind"] == "token" for task, one in stated.items()}
    return kinds, {task: one["temperature"] for task, one in stated.items()}
