import itertools
from random import Random

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import SPLITS
from build_engines.pictures.fonts import Fonts
from build_engines.pictures.writers import FINE, WRITERS, Layer, SkeletonWriter, writer


def test_no_hand_of_a_split_stands_in_another():
    # Those of fonts differ by the font: see test_fonts.
    drawn = {split: set(WRITERS[split]) - {"font"} for split in SPLITS}
    for left, right in itertools.combinations(SPLITS, 2):
        assert not drawn[left] & drawn[right]


@pytest.mark.parametrize("kind", sorted({kind for kinds in WRITERS.values() for kind in kinds}))
def test_a_word_leaves_ink_and_has_a_width(kind, archives):
    layer = Layer((300, 80), 1.5)
    hand = writer(Fonts(archives), Random(3), 24, "train", kind)
    wide = hand.word(layer, (150, 50), "word")
    left, _, right, _ = layer.mask.getbbox()
    assert 10 < wide < 200
    middle = (left + right) / 2 / FINE
    assert middle < 150 if hand.right_to_left else middle > 150


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        pytest.param("Käse", "Kase", id="accents fall away"),
        pytest.param("a²", "a²", id="a power stays one"),
        pytest.param("да", "", id="letters without a skeleton are left out"),
    ],
)
def test_letters_are_those_there_are_skeletons_for(text, plain):
    first, second = Layer((200, 60), 1), Layer((200, 60), 1)
    for layer, word in ((first, text), (second, plain)):
        hand = SkeletonWriter(Random(8), 24)
        hand.capitals = False
        hand.word(layer, (10, 40), word)
    assert first.mask.tobytes() == second.mask.tobytes()


def test_two_writers_have_two_hands():
    masks = []
    for seed in (1, 2):
        layer = Layer((200, 60), 1)
        SkeletonWriter(Random(seed), 24).word(layer, (10, 40), "hand")
        masks.append(layer.mask.tobytes())
    assert masks[0] != masks[1]
