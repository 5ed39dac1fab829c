"""Every kind of classifier in the graph for TensorRT, each against its own network in PyTorch."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnxruntime as ort
import torch

from build_engines.gpu import graph
from build_engines.signals import adapter, trunk
from build_engines.signals.branches import Branch, added
from tests.build_engines.signals.conftest import KINDS

# Two texts of three windows; the second has one that is not there.
WINDOWS = [
    [[2, 5, 9, 14, 3], [2, 3], [2, 7, 7, 8, 12, 19, 4, 3]],
    [[2, 11, 3], [2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 3], []],
]
TOKEN = {name: kind.kind == "token" for name, kind in KINDS.items()}


@pytest.fixture(scope="module")
def answers(trunk_folder, saved):
    network = trunk_folder / "1" / "model.onnx"
    branches = {
        name: Branch(TOKEN[name], adapter.read(folder), 1.7) for name, (folder, _) in saved.items()
    }
    part = added(trunk.read(network, heads=4), branches)
    made = graph.text_encoder(network.read_bytes() + part.SerializeToString(), TOKEN)
    session = ort.InferenceSession(made.SerializeToString())
    ids, lengths = np.full((2, 3, 14), 17, np.int32), np.zeros((2, 3), np.int32)
    for text, windows in enumerate(WINDOWS):
        for at, window in enumerate(windows):
            ids[text, at, : len(window)] = window
            lengths[text, at] = len(window)
    names = [one.name for one in session.get_outputs()]
    said = session.run(names, {"INPUT_IDS": ids, "LENGTHS": lengths})
    return dict(zip(names, said, strict=True))


@pytest.mark.parametrize("name", KINDS)
def test_the_logits_are_those_of_the_network_in_pytorch(answers, saved, name):
    _, model = saved[name]
    found = answers[f"LOGITS_{name}"]

    for text, windows in enumerate(WINDOWS):
        for at, window in enumerate(windows):
            if not window:
                continue
            with torch.no_grad():
                expected = model(input_ids=torch.tensor([window])).logits[0].numpy()
            row = found[text, at, : len(window)] if TOKEN[name] else found[text, at]
            np.testing.assert_allclose(row, expected, atol=1e-4)


def test_a_window_that_is_not_there_gives_numbers_all_the_same(answers):
    assert all(np.isfinite(value).all() for value in answers.values())
