import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import onnxruntime as ort
import torch

from build_engines import weights
from build_engines.errors import WeightsError
from build_engines.signals import trunk
from build_engines.signals.trunk import DOWN, KEY, MATRICES, UP
from tests.build_engines.packing import packed


@pytest.fixture(scope="module")
def network(trunk_folder):
    return trunk_folder / "1" / "model.onnx"


def test_every_layer_is_found_with_its_weights(network):
    found = trunk.read(network, heads=4)

    stored = trunk.constants(onnx.load(network).graph)
    assert len(found.layers) == 3
    assert (found.width, found.size, found.heads) == (64, 16, 4)
    assert found.epsilon == pytest.approx(1e-12)
    for layer in found.layers:
        assert set(layer.weights) == set(layer.outputs) == set(MATRICES)
        assert stored[layer.weights[UP]].shape == (64, 128)
        assert stored[layer.weights[DOWN]].shape == (128, 64)


def test_the_values_it_names_are_those_of_the_checkpoint(network, tiny_checkpoint):
    """Hidden states and projections of the last layer, read out of the graph."""
    found = trunk.read(network, heads=4)
    model = onnx.load(network)
    last = found.layers[-1]
    names = [last.input, last.outputs[KEY], found.output]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = ort.InferenceSession(model.SerializeToString())
    row = [2, 9, 12, 7, 5, 3]

    state, key, output = session.run(names, packed([row]))

    encoder = weights.load(tiny_checkpoint)
    with torch.no_grad():
        hidden = encoder(input_ids=torch.tensor([row]), output_hidden_states=True).hidden_states
        projected = encoder.encoder.layer[-1].attention.self.key(hidden[-2])
    for got, wanted in ((state, hidden[-2]), (key, projected), (output, hidden[-1])):
        np.testing.assert_allclose(got.reshape(6, 64), wanted[0].numpy(), atol=1e-4)


def test_a_graph_of_other_names_is_refused(network, tmp_path):
    model = onnx.load(network)
    text = model.SerializeToString().replace(b"encoder.encoder.layer.", b"encoder.encoder.block.")
    (tmp_path / "other.onnx").write_bytes(text)

    with pytest.raises(WeightsError, match=r"other.onnx: no layer named encoder.encoder.layer.0"):
        trunk.read(tmp_path / "other.onnx", heads=4)
