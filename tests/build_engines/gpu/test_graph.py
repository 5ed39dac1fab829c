"""The graph for TensorRT gives what the CPU form gives: in every bucket, for any number of windows,
whatever stands where a window has ended."""

from itertools import islice

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

import onnx
from onnx import helper

from build_engines.errors import WeightsError
from build_engines.gpu import graph
from tests.build_engines.gpu import rectangles
from tests.build_engines.gpu.rectangles import REPOSITORY

BUCKETS = (16, 32, 64, 128, 256)
LIMIT = 1e-4
SUPPORTED = {
    *("Add", "Cast", "Clip", "Concat", "Div", "Expand", "Gather", "Gelu", "LayerNormalization"),
    *("Less", "MatMul", "Max", "Mul", "Not", "Range", "ReduceL2", "ReduceSum", "Reshape", "Shape"),
    *("Softmax", "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze"),
}
MODELS = ("text_embedding", "text_signals")


class Model:
    """A published model in both forms."""

    def __init__(self, name):
        folder = REPOSITORY / name
        self.graph = graph.published(folder)
        self.session = rectangles.session(self.graph.SerializeToString())
        self.kinds, self.heats = rectangles.labels(folder)
        branches = folder / "1" / "branches.onnx"
        network = (
            (folder / "1" / "trunk.onnx").read_bytes() + branches.read_bytes()
            if branches.is_file()
            else (folder / "1" / "model.onnx").read_bytes()
        )
        self._packed = rectangles.session(network)
        self._told = {}
        self.texts = rectangles.windows_of(rectangles.goldens(name)["texts"])

    def told(self, window):
        key = tuple(window)
        if key not in self._told:
            self._told[key] = rectangles.told(self._packed, window, self.kinds)
        return self._told[key]

    def answers(self, inputs):
        names = [one.name for one in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, inputs), strict=True))

    def worst(self, texts, places):
        """The greatest differences over the windows of `texts`."""
        answers = self.answers(rectangles.rectangle(texts, places))
        assert all(np.isfinite(value).all() for value in answers.values())
        worst = {}
        for text, windows in enumerate(texts):
            for at, window in enumerate(windows):
                gaps = rectangles.gaps(
                    answers, text, at, window, self.told(window), self.kinds, self.heats
                )
                worst = {name: max(gap, worst.get(name, 0)) for name, gap in gaps.items()}
        return worst


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return Model(request.param)


def by_bucket(texts):
    """The texts of one window whose smallest bucket it is."""
    found = {places: [] for places in BUCKETS}
    for text in texts:
        if len(text) == 1:
            found[next(one for one in BUCKETS if one >= len(text[0]))].append(text)
    return found


@pytest.mark.parametrize("places", BUCKETS)
def test_every_golden_text_is_answered_in_its_bucket(model, places):
    texts = by_bucket(model.texts)[places]
    assert texts

    worst = {}
    while batch := texts[:12]:
        texts = texts[12:]
        gaps = model.worst(batch, places)
        worst = {name: max(gap, worst.get(name, 0)) for name, gap in gaps.items()}

    assert set(worst) == {"EMBEDDING_W", *model.kinds}
    assert max(worst.values()) <= LIMIT, worst


def test_a_short_text_is_answered_alike_in_the_longest_bucket(model):
    texts = list(islice(by_bucket(model.texts)[16], 0, None, 6))

    assert max(model.worst(texts, BUCKETS[-1]).values()) <= LIMIT


def test_texts_of_different_numbers_of_windows_share_a_batch(model):
    counts = sorted({len(text) for text in model.texts})
    texts = [next(text for text in model.texts if len(text) == count) for count in counts]
    assert counts[0] == 1 and counts[-1] > 2  # the batch has windows of length 0

    assert max(model.worst(texts, BUCKETS[-1]).values()) <= LIMIT


def test_nothing_after_the_end_of_a_window_changes_its_answers(model):
    inputs = rectangles.rectangle([[[101, 2003, 102]]], 16)
    other = {**inputs, "INPUT_IDS": inputs["INPUT_IDS"].copy()}
    other["INPUT_IDS"][0, 0, 3:] = np.arange(2000, 2013)

    for name, value in model.answers(inputs).items():
        read = slice(0, 3) if value.ndim == 4 else slice(None)
        np.testing.assert_allclose(
            value[0, 0][read], model.answers(other)[name][0, 0][read], atol=1e-5
        )


def test_the_tensors_are_those_that_the_ensemble_joins(model):
    """What the steps before and after it are written for (model_repository/README.md)."""
    inputs = {one.name: (one.type, one.shape) for one in model.session.get_inputs()}
    outputs = {one.name: one.shape for one in model.session.get_outputs()}

    assert inputs == {
        "INPUT_IDS": ("tensor(int32)", ["b", "w", "s"]),
        "LENGTHS": ("tensor(int32)", ["b", "w"]),
    }
    assert outputs.pop("EMBEDDING_W") == ["b", "w", 384]
    assert set(outputs) == {f"LOGITS_{task}" for task in model.kinds}
    for task, token in model.kinds.items():
        assert outputs[f"LOGITS_{task}"][:-1] == ["b", "w", "s"][: 3 if token else 2]


def test_nothing_is_left_that_tensorrt_does_not_fuse_or_read(model):
    """No branches, no gathers of tokens by index: what is left looks up tables and rows."""
    kinds = {node.op_type for node in model.graph.graph.node}
    looked_up = [node for node in model.graph.graph.node if node.op_type == "Gather"]

    assert kinds.isdisjoint({"If", "Or", "Where", "Mod", "NonZero", "Loop"})
    assert len(looked_up) <= 6 + len(model.kinds)
    assert all(node.name == f"{node.op_type}/{node.output[0]}" for node in model.graph.graph.node)


def test_queries_are_scaled_before_they_meet_keys(model):
    """In all layers but for the rows of [CLS], whose scores are a sum of two products."""
    made = {node.output[0]: node for node in model.graph.graph.node}
    scores = []
    for node in model.graph.graph.node:
        if node.op_type == "Softmax":
            scores.append(made[made[node.input[0]].input[0]])

    products = [node for node in scores if node.op_type == "MatMul"]
    assert len(scores) - len(products) == (1 if model.kinds else 0)
    assert all(made[node.input[0]].op_type == "Mul" for node in products)


def test_tensorrt_has_every_operation(model):
    """By onnx-tensorrt, docs/operators.md of TensorRT 10.15, opset 9 to 24."""
    assert {node.op_type for node in model.graph.graph.node} <= SUPPORTED
    assert [one.version for one in model.graph.opset_import] == [20]


def test_the_same_files_give_the_same_bytes():
    folder = REPOSITORY / "text_embedding"

    assert graph.published(folder).SerializeToString(deterministic=True) == graph.published(
        folder
    ).SerializeToString(deterministic=True)


def test_a_task_that_is_no_softmax_of_cooled_logits_is_refused():
    network = onnx.load(REPOSITORY / "text_embedding" / "1" / "model.onnx")
    network.graph.node.append(
        helper.make_node("Identity", ["sentence_embedding"], ["probabilities_mood"])
    )

    with pytest.raises(WeightsError, match="probabilities_mood is not the softmax"):
        graph.text_encoder(network.SerializeToString(), {"mood": False})


def test_attention_that_does_not_see_the_whole_window_is_refused(tmp_path):
    """As a sliding or causal mask does it, places are compared with each other."""
    packed = onnx.load(REPOSITORY / "text_embedding" / "1" / "model.onnx")
    packed.graph.node.append(helper.make_node("LessOrEqual", ["place", "place"], ["near"]))
    (tmp_path / "tiny" / "1").mkdir(parents=True)
    onnx.save(packed, tmp_path / "tiny" / "1" / "model.onnx")

    with pytest.raises(WeightsError, match=r"tiny: sliding or causal .*leave \[gpu\] out.*near"):
        graph.published(tmp_path / "tiny")
