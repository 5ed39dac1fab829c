from random import Random

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import wear

SPECKLED = Image.fromarray(np.random.default_rng(0).integers(0, 256, (120, 300, 3), np.uint8))


@pytest.mark.parametrize("way", wear.WAYS, ids=lambda way: way.__name__)
def test_every_way_gives_another_picture_of_the_same_kind(way):
    found = way(SPECKLED, Random(1))

    assert found.mode == "RGB"
    assert max(found.size) <= 300
    assert found.tobytes() != SPECKLED.tobytes()


def test_most_pictures_stay_as_they_were():
    rng = Random(2)
    same = [wear.worn(SPECKLED, rng) is SPECKLED for _ in range(500)]

    assert sum(same) / 500 == pytest.approx(wear.KEPT, abs=0.07)


def test_the_same_seed_wears_alike():
    assert wear.worn(SPECKLED, Random(11)).tobytes() == wear.worn(SPECKLED, Random(11)).tobytes()
