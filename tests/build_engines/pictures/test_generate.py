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


# Pictures of these templates differ by file, by colours or by pictogram.
SHARED = {
    "medical": {"bare"},
    "other": {"photograph", "texture", "icon"},
    "terminal": {"bare"},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_splits_have_templates_of_their_own(family):
    if family == "identity_document":
        pytest.skip("layouts are numbered by split: see test_layouts")
    names = {split: {name for name, _ in generate.TEMPLATES[family](split)} for split in SPLITS}
    for left, right in itertools.combinations(SPLITS, 2):
        assert names[left] & names[right] <= SHARED.get(family, set())


@pytest.mark.parametrize(
    ("family", "train", "validation"),
    [
        pytest.param("terminal", 15, 5, id="terminal"),
        pytest.param("source_code", 15, 5, id="source code"),
        pytest.param("chart", 20, 5, id="chart"),
        pytest.param("medical", 20, 5, id="medical"),
        pytest.param("other", 25, 8, id="other"),
        pytest.param("identity_document", 20, 6, id="identity document"),
    ],
)
def test_there_are_many_templates_to_learn_from(family, train, validation):
    templates = generate.TEMPLATES[family]
    assert len(dict(templates("train"))) >= train
    assert len(dict(templates("validation"))) >= validation
