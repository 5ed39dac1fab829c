import json
from random import Random

import pytest

from build_engines.data import documents
from build_engines.data.packages import FOLDER, LIST, Wheels

SNIPPETS = list(documents.snippets(Wheels()))


def test_snippets_are_the_same_each_time_and_none_stands_twice():
    texts = [row.text for row in SNIPPETS]

    assert [row.text for row in documents.snippets(Wheels())] == texts
    assert len(set(texts)) == len(texts) > 0.9 * documents.SNIPPETS


def test_every_kind_of_snippet_is_there_and_benign():
    kinds = {row.group.partition(":")[0].removeprefix("documents/snippet/") for row in SNIPPETS}

    assert kinds == set(documents.MAKERS)
    assert {row.label for row in SNIPPETS} == {"benign"}


def test_objects_are_json():
    made = [documents.MAKERS["object"](Random(seed)) for seed in range(50)]

    assert all(isinstance(json.loads(one), dict) for one in made)
    assert "{}" in made


def test_some_snippets_stand_under_an_order():
    under = [row for row in SNIPPETS if any(order in row.text for order in documents.ORDERS)]

    assert 0.2 < len(under) / len(SNIPPETS) < 0.4


@pytest.fixture(scope="module")
def files():
    if len(list(FOLDER.glob("*.whl"))) < len(LIST.read_text().splitlines()) - 1:
        pytest.skip("the data packages are not downloaded: make train fetches them")
    return list(documents.files(Wheels()))


def test_files_are_pieces_of_bounded_length(files):
    longest = documents.LENGTH[1] + max(map(len, documents.ORDERS)) + 20

    assert len(files) > 2000
    assert all(documents.LENGTH[0] // 2 <= len(row.text) <= longest for row in files)


def test_files_that_hold_attacks_are_left_out(files):
    assert not [row.group for row in files if documents.LEFT_OUT.search(row.group)]
