import copy
import math

import pytest

from orchestrator.errors import ConfigError
from orchestrator.types import Candidate
from tests.selection.artefacts import MLP
from tests.selection.trained import ask


def test_layers_by_hand(tmp_path):
    """relu(3 - 1 + .5) = 2.5; (2.5 - .5) / 2 * 2 + 1 = 3; logits 3 and -3."""
    plan = ask(tmp_path, MLP, [3, 1])

    large = 1 / (1 + math.exp(-6))
    assert plan.scores == pytest.approx((1 - large, large))
    assert (plan.chosen, plan.status) == (Candidate("large"), "selected")
    assert plan.confidence == pytest.approx(large)


def test_relu_cuts(tmp_path):
    """relu(-2) = 0; (0 - .5) / 2 * 2 + 1 = .5; logits .5 and -.5."""
    assert ask(tmp_path, MLP, [-2, 0.5]).scores[1] == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize("width", [2, 3])
def test_a_batch_norm_of_another_width_is_refused_when_it_is_read(tmp_path, width):
    document = copy.deepcopy(MLP)
    for name in ("weight", "bias", "running_mean", "running_var"):
        document["layers"][2][name] *= width

    with pytest.raises(ConfigError, match="is no artefact of mlp: a batch_norm does not take 1"):
        ask(tmp_path, document, [3, 1])
