"""Every kind of classifier in one graph, each against its own network in PyTorch."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx
import onnxruntime as ort
import torch

from build_engines.errors import WeightsError
from build_engines.signals import adapter, trunk
from build_engines.signals.branches import Branch, added
from tests.build_engines.packing import packed
from tests.build_engines.signals.conftest import KINDS

HEAT = 1.7
DRAW = np.random.default_rng(5)
ROWS = [[2, *DRAW.integers(4, 20, size).tolist(), 3] for size in (0, 1, 3, 5, 8, 11, 12, 2)]


@pytest.fixture(scope="module")
def joined(trunk_folder, saved):
    network = trunk_folder / "1" / "model.onnx"
    branches = {
        name: Branch(KINDS[name].kind == "token", adapter.read(folder), HEAT)
        for name, (folder, _) in saved.items()
    }
    part = added(trunk.read(network, heads=4), branches)
    return network.read_bytes() + part.SerializeToString(deterministic=True)


@pytest.fixture(scope="module")
def session(joined):
    return ort.InferenceSession(joined)


@pytest.fixture(scope="module")
def expected(saved):
    """Name -> the probabilities of each row: [1, classes], or [tokens, classes] of a token task."""
    found = {}
    for name, (_, model) in saved.items():
        with torch.no_grad():
            logits = [model(input_ids=torch.tensor([row])).logits for row in ROWS]
        found[name] = [torch.softmax(one[:1].flatten(0, -2) / HEAT, -1).numpy() for one in logits]
    return found


def run(session, rows, asked):
    flags = {f"ask_{name}": np.array(name in asked) for name in KINDS}
    names = [f"probabilities_{name}" for name in KINDS]
    embedding, *found = session.run(["sentence_embedding", *names], packed(rows) | flags)
    return embedding, dict(zip(KINDS, found, strict=True))


def test_the_joined_bytes_are_one_valid_model(joined):
    model = onnx.load_from_string(joined)

    onnx.checker.check_model(model, full_check=True)

    assert [one.name for one in model.graph.input][3:] == [f"ask_{name}" for name in KINDS]
    names = [one.name for one in model.graph.initializer]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "order",
    [
        pytest.param([[row] for row in range(8)], id="each alone"),
        pytest.param([[0, 1, 2], [3, 4, 5], [6, 7]], id="by threes"),
        pytest.param([list(range(8))], id="together"),
        pytest.param([[6, 2, 7, 0, 5, 3, 1, 4]], id="in another order"),
    ],
)
def test_every_task_answers_as_pytorch_in_any_batch(session, expected, order):
    for batch in order:
        _, found = run(session, [ROWS[row] for row in batch], KINDS)

        for name in KINDS:
            wanted = np.concatenate([expected[name][row] for row in batch])
            np.testing.assert_allclose(found[name], wanted, atol=1e-4, rtol=0, err_msg=name)


@pytest.mark.parametrize("name", KINDS)
def test_a_task_asked_alone_gives_its_rows_and_no_other_does(session, name):
    whole, together = run(session, ROWS, KINDS)

    embedding, found = run(session, ROWS, {name})

    assert {len(found[other]) for other in KINDS if other != name} == {0}
    assert all(found[other].shape[1] == KINDS[other].classes for other in KINDS)
    np.testing.assert_allclose(found[name], together[name], atol=1e-6)
    np.testing.assert_array_equal(embedding, whole)


def test_nothing_asked_is_the_trunk(session, trunk_folder):
    alone = ort.InferenceSession(trunk_folder / "1" / "model.onnx")

    embedding, found = run(session, ROWS, ())

    np.testing.assert_allclose(embedding, alone.run(None, packed(ROWS))[0], atol=1e-6)
    assert {len(rows) for rows in found.values()} == {0}


def test_adapters_that_change_few_matrices_need_no_others_beside_them(
    trunk_folder, saved, expected
):
    network = trunk_folder / "1" / "model.onnx"
    branch = Branch(False, adapter.read(saved["last_few"][0]), HEAT)
    part = added(trunk.read(network, heads=4), {"only": branch})
    session = ort.InferenceSession(network.read_bytes() + part.SerializeToString())

    (found,) = session.run(["probabilities_only"], packed(ROWS) | {"ask_only": np.array(True)})

    np.testing.assert_allclose(found, np.concatenate(expected["last_few"]), atol=1e-4)


def test_a_model_of_another_depth_is_refused(trunk_folder, saved):
    own = adapter.read(saved["own"][0])
    short = replace(own, own={at: one for at, one in own.own.items() if at[0] < 2})

    with pytest.raises(WeightsError, match="mood: 2 layers, the trunk has 3"):
        added(trunk.read(trunk_folder / "1" / "model.onnx", 4), {"mood": Branch(False, short, 1)})


def test_the_trunks_weights_are_not_stored_again(joined, trunk_folder):
    """An adapter brings its low-rank matrices and its head; a model of its own all it has."""
    model = onnx.load_from_string(joined)
    sizes = dict.fromkeys((*KINDS, "pooled_rows"), 0)
    for one in model.graph.initializer:
        if (name := one.name.split("/")[0]) in sizes:
            sizes[name] += int(np.prod(one.dims))
    trunk_size = sum(
        int(np.prod(one.dims))
        for one in onnx.load(trunk_folder / "1" / "model.onnx").graph.initializer
    )

    assert sizes["head"] < 64 * 64 + 500
    assert sizes["last_token"] < 8 * (64 * 10 + 128 * 2) + 1_500
    assert sizes["full_token"] < 3 * 8 * (64 * 10 + 128 * 2) + 1_500
    assert sizes["own_token"] > 0.9 * trunk_size
