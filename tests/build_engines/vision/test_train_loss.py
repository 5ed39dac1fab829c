from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import torch

from build_engines.vision import loss
from build_engines.vision.light import FEATURES, Projection
from build_engines.vision.loss import Pairs, Plan

PLAN = Plan(epochs=12, batch=32, noise=0.0, dropout=0.0)


def toy():
    """Two families of pictures, each lit up in its own half; two wordings."""
    dice = np.random.default_rng(0)
    target = np.arange(64) % 2
    features = dice.random((64, FEATURES), np.float32)
    features[target == 0, : FEATURES // 2] += 1
    features[target == 1, FEATURES // 2 :] += 1
    texts = np.zeros((2, 384), np.float32)
    texts[0, 0] = texts[1, 1] = 1
    signs = np.where(np.arange(2) == target[:, None], 1, -1).astype(np.float32)
    return Pairs(features, texts, signs, np.ones(2, np.float32)), target


@pytest.fixture(scope="module")
def fitted():
    torch.set_num_threads(1)
    pairs, target = toy()
    known = (target == 0).astype(np.float32)
    return loss.fit(pairs, known, np.ones(64, np.float32), PLAN)


@pytest.mark.parametrize(
    ("logit", "sign", "share", "expected"),
    [
        pytest.param(5.0, 0, 1.0, 0.0, id="neither fits nor not"),
        pytest.param(5.0, 1, 0.0, 0.0, id="of no weight"),
        pytest.param(0.0, 1, 1.0, np.log(2), id="undecided"),
        pytest.param(-3.0, -1, 1.0, np.log1p(np.exp(-3)), id="rightly apart"),
        pytest.param(-3.0, 1, 0.5, 0.5 * np.log1p(np.exp(3)), id="wrongly apart, half the weight"),
    ],
)
def test_sigmoid_loss_of_a_pair(logit, sign, share, expected):
    row = [torch.tensor([[one]], dtype=torch.float64) for one in (logit, sign)]

    found = loss.sigmoid_loss(*row, torch.tensor([share], dtype=torch.float64))

    assert found.tolist() == pytest.approx([expected])


def test_pictures_find_their_wordings_from_raw_features(fitted):
    pairs, target = toy()

    embeddings, logits = fitted(torch.from_numpy(pairs.features))

    scores = embeddings.detach().numpy() @ pairs.texts.T
    assert (scores.argmax(1) == target).all()
    assert ((logits[:, 0] > 0).numpy() == (target == 0)).all()


def test_the_same_rows_give_the_same_tensors(fitted):
    pairs, target = toy()
    again = loss.fit(pairs, (target == 0).astype(np.float32), np.ones(64, np.float32), PLAN)

    for name, tensor in fitted.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name


def test_another_seed_gives_others(fitted):
    pairs, target = toy()
    plan = replace(PLAN, seed=8, epochs=1)
    other = loss.fit(pairs, (target == 0).astype(np.float32), np.ones(64, np.float32), plan)

    assert not torch.equal(other.hidden.weight, fitted.hidden.weight)


def test_cooling_divides_the_logits():
    projection = Projection()
    features = torch.rand(3, FEATURES)
    _, before = projection(features)

    loss.cool(projection, 4.0)

    assert torch.allclose(projection(features)[1], before / 4, atol=1e-6)


def test_the_temperature_of_too_sure_logits_is_found():
    dice = np.random.default_rng(1)
    logits = dice.normal(0, 2, 4000).astype(np.float32)
    known = (dice.random(4000) < 1 / (1 + np.exp(-logits))).astype(np.float32)

    assert loss.heat_of(logits * 3, known) == pytest.approx(3, rel=0.1)


def test_the_temperature_of_faultless_logits_has_a_limit():
    known = np.array([0, 1, 0, 1], np.float32)

    assert 0.25 <= loss.heat_of(known * 20 - 10, known) < 1


@pytest.mark.parametrize("sharpness", [5.0, 40.0])
def test_the_sharpness_of_scores_is_found(sharpness):
    dice = np.random.default_rng(1)
    scores = dice.normal(0, 2 / sharpness, (8000, 4)).astype(np.float32)
    # What wins after noise of Gumbel's is drawn from the softmax.
    target = (sharpness * scores + dice.gumbel(size=scores.shape)).argmax(1)

    assert loss.sharpness_of(scores, target) == pytest.approx(sharpness, rel=0.1)


def test_the_sharpness_of_faultless_scores_has_a_limit():
    assert 20 < loss.sharpness_of(np.eye(4, dtype=np.float32), np.arange(4)) <= 200


def test_ridge_is_a_baseline_that_learns():
    pairs, target = toy()

    found = loss.ridge(pairs, 10.0)(pairs.features)

    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    assert ((found @ pairs.texts.T).argmax(1) == target).all()
