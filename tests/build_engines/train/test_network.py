"""Training's shortcut through the network against PEFT's own forward."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch

from build_engines.train import network
from tests.build_engines.train.conftest import job_of, task

DRAW = np.random.default_rng(2)
ROWS = [[2, *DRAW.integers(4, 20, size).tolist(), 3] for size in (0, 9, 4, 1, 12)]


def spoiled(model):
    """Every trained weight moved: a fresh adapter changes nothing."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    model.train(False)
    return model


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_top_is_pefts_own_forward(tiny_checkpoint, encoder, kind, depth):
    one = task(kind, depth)
    model = spoiled(job_of(tiny_checkpoint, one, 5).network)
    mask = torch.tensor([[at < len(row) for at in range(14)] for row in ROWS])
    ids = torch.tensor([row + [0] * (14 - len(row)) for row in ROWS])
    with torch.no_grad():
        states = encoder(
            input_ids=ids, attention_mask=mask.long(), output_hidden_states=True
        ).hidden_states
        expected = model(input_ids=ids, attention_mask=mask.long()).logits

        found = network.top(model, states[3 - depth], mask, one)

    if kind == "token":
        found, expected = found[mask], expected[mask]
    assert float((found - expected).abs().max()) <= 1e-5


@pytest.mark.parametrize(
    ("kind", "depth", "layers", "heads"),
    [
        pytest.param("sequence", 0, set(), {"classifier", "pooler"}, id="a head alone"),
        pytest.param("token", 0, set(), {"classifier"}, id="a head of tokens alone"),
        pytest.param("sequence", 1, {2}, {"classifier", "pooler"}, id="the last layer"),
        pytest.param("token", 2, {1, 2}, {"classifier"}, id="the last two"),
    ],
)
def test_what_is_trained(tiny_checkpoint, kind, depth, layers, heads):
    model = job_of(tiny_checkpoint, task(kind, depth), 2).network

    names = [name for name, one in model.named_parameters() if one.requires_grad]

    low = [name.split("encoder.layer.")[1].split(".")[0] for name in names if "lora_" in name]
    assert {int(at) for at in low} == layers
    assert len(low) == 12 * len(layers)  # two halves for each of six matrices
    rest = [name for name in names if "lora_" not in name]
    assert all(any(head in name for head in heads) for name in rest)
    assert {head for head in heads if any(head in name for name in rest)} == heads


def test_the_same_seed_gives_the_same_head(tiny_checkpoint):
    first, again, other = (
        job_of(tiny_checkpoint, task(seed=seed), 2).network.state_dict() for seed in (1, 1, 2)
    )
    (name,) = [one for one in first if "classifier.modules_to_save" in one and "weight" in one]

    assert torch.equal(first[name], again[name])
    assert not torch.equal(first[name], other[name])


@pytest.mark.parametrize("kind", ["sequence", "token"])
def test_a_saved_adapter_is_read_back(tiny_checkpoint, tmp_path, kind):
    one = task(kind, 2)
    model = spoiled(job_of(tiny_checkpoint, one, 3).network)
    model.save_pretrained(tmp_path)
    ids = torch.tensor([ROWS[1]])

    found = network.reference(tiny_checkpoint, (), one, tmp_path)

    with torch.no_grad():
        assert torch.equal(found(input_ids=ids).logits, model(input_ids=ids).logits)
