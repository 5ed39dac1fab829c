import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.train import figures


@pytest.mark.parametrize("heat", [0.5, 1.0, 2.5])
def test_the_temperature_of_synthetic_logits_is_found(heat):
    """Targets are drawn from the softmax; the logits are then too sharp by `heat`."""
    draw = np.random.default_rng(3)
    true = draw.normal(0, 1.5, (40_000, 4))
    targets = (true + draw.gumbel(size=true.shape)).argmax(1)

    found = figures.temperature((true * heat).astype(np.float32), targets)

    assert found == pytest.approx(heat, rel=0.04)
