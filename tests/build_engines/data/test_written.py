from collections import Counter

import pytest

from build_engines.data import Example, fact_check, modality, user_feedback
from build_engines.data.near import normalised
from build_engines.data.written import written
from build_engines.errors import BuildError

TASKS = pytest.mark.parametrize(
    "task",
    [
        pytest.param(module, id=module.__name__.rpartition(".")[2])
        for module in (fact_check, modality, user_feedback)
    ],
)


def read(tmp_path, text):
    (tmp_path / "yes.txt").write_text(text, encoding="utf-8")
    return list(written(tmp_path, "YES", "yes"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("hello\n", "yes.txt:1: a text above the first mark", id="text before a mark"),
        pytest.param("\n# english\nhello\n", "yes.txt:2: not a mark", id="language not a code"),
        pytest.param("# en Short\nhello\n", "yes.txt:1: not a mark", id="kind in capitals"),
        pytest.param("# en a b\nhello\n", "yes.txt:1: not a mark", id="two kinds"),
        pytest.param("# \nhello\n", "yes.txt:1: not a mark", id="empty mark"),
    ],
)
def test_malformed_files_are_refused_with_the_line(tmp_path, text, message):
    with pytest.raises(BuildError, match=message):
        read(tmp_path, text)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(BuildError, match=r"no\.txt: no such file; write the texts of 'NO' there"):
        list(written(tmp_path, "NO", "no"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("# en\n\n", [], id="no texts"),
        pytest.param("# en\n#1 is wrong\n", [("#1 is wrong", "en", "")], id="hash without space"),
        pytest.param("# en\n  hi \r\n", [("hi", "en", "")], id="outer space goes"),
        pytest.param("# en\na\u2028b\n", [("a\u2028b", "en", "")], id="only newlines end a text"),
        pytest.param(
            "# en chatty\nhey\n\n# ja\nはい\n",
            [("hey", "en", "chatty"), ("はい", "ja", "")],
            id="a mark without a kind ends the kind",
        ),
    ],
)
def test_marks_name_language_and_kind(tmp_path, text, rows):
    assert [(row.text, row.language, row.kind) for row in read(tmp_path, text)] == rows


def test_a_text_is_its_own_group_and_keeps_it_when_lines_are_added(tmp_path):
    before = read(tmp_path, "# en\none\ntwo\n")
    after = read(tmp_path, "# en\nzero\none\ntwo\n")

    assert before == after[1:]
    assert len({row.group for row in after}) == 3
    assert after[0] == Example("zero", "YES", "written", f"{tmp_path.name}:zero")


@TASKS
def test_the_texts_of_a_task_have_its_labels_and_an_order(task):
    rows = list(task.examples())

    assert list(dict.fromkeys(row.label for row in rows)) == list(task.LABELS)
    assert rows == list(task.examples())


@TASKS
def test_no_text_stands_twice(task):
    counts = Counter(normalised(row.text) or row.text for row in task.examples())

    assert [text for text, count in counts.items() if count > 1] == []


@TASKS
def test_every_label_is_written_in_seven_languages(task):
    counts = Counter((row.label, row.language) for row in task.examples())

    for label in task.LABELS:
        assert counts[label, "en"] >= 350
        assert [counts[label, other] >= 15 for other in ("es", "de", "fr", "zh", "ar", "ja")] == (
            [True] * 6
        )


@TASKS
def test_lengths_run_from_a_word_to_a_paragraph(task):
    for label in task.LABELS:
        lengths = [len(row.text.split()) for row in task.examples() if row.label == label]
        assert min(lengths) <= 4
        assert 20 <= max(lengths) <= 90
