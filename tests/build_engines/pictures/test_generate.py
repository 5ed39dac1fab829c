import itertools

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import FAMILIES, SPLITS, captions, generate, pictures
from build_engines.pictures.picture import LARGEST

QUICK = ("identity_document", "receipt", "other")


def test_a_family_without_templates_is_none(archives):
    with pytest.raises(KeyError):
        next(pictures("train", 1, 0, families=("poem",), archives=archives))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_pixels(family, archives):
    first, again = (
        [one.image.tobytes() for one in pictures("train", 2, 5, families=(family,))] for _ in "ab"
    )
    assert first == again


@pytest.mark.parametrize("family", QUICK)
def test_another_seed_or_split_gives_other_pixels(family, archives):
    variants = (("train", 1), ("train", 2), ("test", 1))
    seen = {
        next(pictures(split, 1, seed, families=(family,))).image.tobytes()
        for split, seed in variants
    }
    assert len(seen) == len(variants)


def test_a_larger_count_goes_on_where_a_smaller_one_stopped(archives):
    few = [one.name for one in pictures("validation", 2, 3, families=("receipt",))]
    more = [one.name for one in pictures("validation", 3, 3, families=("receipt",))]
    assert more[:2] == few


@pytest.mark.parametrize("family", FAMILIES)
def test_every_template_of_every_split_draws(family, archives):
    kinds = {one.kind for one in captions.read(family)} | {""}
    for split in SPLITS:
        count = len(generate.TEMPLATES[family](split))
        for one in pictures(split, count, 11, families=(family,), archives=archives):
            assert one.image.mode == "RGB"
            assert max(one.image.size) <= LARGEST
            assert one.licence
            assert one.source
            assert one.kind in kinds


def test_captions_of_the_test_split_are_unseen(archives):
    train = next(pictures("train", 1, 0, families=("chart",))).captions
    test = next(pictures("test", 1, 0, families=("chart",))).captions
    assert train and test
    assert not set(train) & set(test)


@pytest.mark.parametrize("family", [one for one in FAMILIES if one not in ("medical", "terminal")])
def test_splits_have_templates_of_their_own(family):
    # Medical pictures differ by file, sessions of terminals by screen and colours.
    if family == "identity_document":
        pytest.skip("layouts are numbered by split: see test_layouts")
    names = {split: {name for name, _ in generate.TEMPLATES[family](split)} for split in SPLITS}
    shared = {"photograph", "texture", "icon"} if family == "other" else set()
    for left, right in itertools.combinations(SPLITS, 2):
        assert names[left] & names[right] <= shared
