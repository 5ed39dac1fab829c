"""What `load` refuses, and the neighbours that knn finds."""

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import ConfigError
from orchestrator.ranking.trained import Knn, Predictor, load


class Unfit(Predictor):
    """Its parts fit each other only until it is asked."""

    def __init__(self, document):
        self.names, self.dimension = ("a",), 2

    def scores(self, feature):
        raise ValueError(f"not of {len(feature)} numbers")


def test_what_cannot_be_asked_is_refused_when_it_is_read(tmp_path):
    path = tmp_path / "odd_model.json"
    path.write_bytes(orjson.dumps({"algorithm": "odd"}))

    with pytest.raises(ConfigError, match="is no artefact of odd: not of 2 numbers"):
        load(path, Unfit, "odd")


def by_hand(document, asked):
    """Every distance, sorted; the earlier sample among equals."""
    rows = np.array(document["embeddings"], np.float64)
    order = np.argsort(((rows - asked) ** 2).sum(axis=1), kind="stable")[: document["k"]]
    found = dict.fromkeys(sorted(set(document["labels"])), 0.0)
    for at in order:
        found[document["labels"][at]] += 0.9 * document["qualities"][at] + 0.1
    return found


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 9), st.booleans())
def test_the_neighbours_are_those_of_every_distance_sorted(seed, count, k, coarse):
    """`coarse`: many at the same distance."""
    dice = np.random.default_rng(seed)
    rows = dice.integers(-1, 2, (count, 3)) if coarse else dice.normal(size=(count, 3))
    document = {
        "k": k,
        "embeddings": rows.tolist(),
        "labels": [f"m{at % 4}" for at in range(count)],
        "qualities": dice.random(count).tolist(),
    }
    asked = dice.integers(-1, 2, 3) / (1 if coarse else 3)

    assert Knn(document).scores(asked) == by_hand(document, asked)
