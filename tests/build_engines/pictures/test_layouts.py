import itertools

import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import SPLITS, layouts


def test_no_layout_stands_in_two_splits():
    for left, right in itertools.combinations(SPLITS, 2):
        assert not set(layouts.layouts(left)) & set(layouts.layouts(right))


def test_no_country_stands_in_two_splits():
    codes = [one.code for split in SPLITS for one in layouts.countries(split)]
    assert len(codes) == len(set(codes))


def test_every_country_labels_what_is_printed():
    for split in SPLITS:
        for country in layouts.countries(split):
            assert len(country.labels) == 7, country.code
            assert all(country.words.values()), country.code
