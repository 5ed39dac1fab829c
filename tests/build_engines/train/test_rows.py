import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from build_engines.data import Example, Span
from build_engines.spec import Text
from build_engines.train import rows
from build_engines.train.rows import IGNORED, MOST_WINDOWS
from tests.build_engines.train.conftest import data

# Ten tokens a window, two of them shared, beside [CLS] and [SEP].
TEXT = Text(window=12, overlap=2, max_windows=16, max_characters=1000, max_bytes=4000)
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "he", "river", "##s", "##ide", ",", "東", "京"]
MARKS = {"O": 0, "B-X": 1, "I-X": 2, "B-Y": 3, "I-Y": 4}
NAMES = {number: name for name, number in MARKS.items()} | {IGNORED: "."}


@pytest.fixture(scope="module")
def words():
    return BertWordPieceTokenizer({word: at for at, word in enumerate(WORDS)})._tokenizer


def example(text, *spans, label=""):
    return Example(text, label, "test", text, spans=tuple(Span(*one) for one in spans))


def test_the_classes_of_a_token_task_are_o_then_begin_and_inside_of_each_label():
    assert rows.bio(("X", "Y")) == ("O", "B-X", "I-X", "B-Y", "I-Y")


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        pytest.param("he river", [(9, 12, "X")], ". O O .", id="beyond the text"),
        pytest.param("he river", [(2, 3, "X")], ". O O .", id="a space alone"),
        pytest.param("he river", [(0, 2, "X")], ". B-X O .", id="at 0"),
        pytest.param("he river", [(3, 8, "X")], ". O B-X .", id="up to the end"),
        pytest.param("he rivers", [(3, 9, "X")], ". O B-X I-X .", id="a word of two pieces"),
        pytest.param("rivers he", [(5, 6, "X")], ". O B-X O .", id="one piece of a word"),
        pytest.param(
            "riverside", [(2, 7, "X")], ". B-X I-X I-X .", id="from within a piece to within"
        ),
        pytest.param("he he", [(0, 2, "X"), (3, 5, "X")], ". B-X B-X .", id="neighbours alike"),
        pytest.param("he he", [(3, 5, "Y"), (0, 2, "X")], ". B-X B-Y .", id="spans in any order"),
        pytest.param("rivers", [(0, 5, "X"), (5, 6, "Y")], ". B-X B-Y .", id="two in one word"),
        pytest.param("東京,he", [(0, 2, "X")], ". B-X I-X O O .", id="CJK without spaces"),
        pytest.param("🦊 he 東", [(2, 4, "X"), (5, 6, "Y")], ". O B-X B-Y .", id="after an emoji"),
        pytest.param("🦊he", [(0, 1, "X")], ". B-X .", id="an emoji in a word"),
        pytest.param("héros he", [(6, 8, "X")], ". O B-X .", id="after an accent"),
    ],
)
def test_tokens_are_marked(monkeypatch, words, text, spans, expected):
    data(monkeypatch, "toy", ("X", "Y"))
    found = rows.windowed("toy", "token", [example(text, *spans)], words, TEXT)

    assert [NAMES[at] for at in found.targets[: found.lengths[0]]] == expected.split()
    assert len(found.targets) == len(found.ids) == found.lengths.sum()


@pytest.mark.parametrize(
    ("span", "first", "second"),
    [
        pytest.param((24, 29), "O O B I", "B I O O", id="within what both windows read"),
        pytest.param((21, 35), "O B I I", "I I I I", id="from one into the next"),
        pytest.param((30, 32), "O O O O", "O O B O", id="in the second alone"),
        pytest.param((27, 29), "O O O B", "O B O O", id="the last token of the first"),
    ],
)
def test_spans_at_the_border_of_windows(monkeypatch, words, span, first, second):
    """The last four tokens of the first window and the first four of the second, two shared."""
    data(monkeypatch, "toy", ("X",))

    found = rows.windowed("toy", "token", [example("he " * 14, (*span, "X"))], words, TEXT)

    names = [NAMES[at].removesuffix("-X") for at in found.targets]
    assert found.lengths.tolist() == [12, 8]
    assert names[0] == names[11] == names[12] == names[-1] == "."
    assert (names[7:11], names[13:17]) == (first.split(), second.split())


def test_windows_are_framed_and_belong_to_their_text(monkeypatch, words):
    data(monkeypatch, "toy", ("a", "b"))
    examples = [example(text, label="b") for text in ("", "he", "he " * 11)]

    found = rows.windowed("toy", "sequence", examples, words, TEXT)

    assert found.owner.tolist() == [0, 1, 2, 2]
    assert found.lengths.tolist() == [2, 3, 12, 5]
    assert found.ids.tolist() == [2, 3, 2, 4, 3, 2, *[4] * 10, 3, 2, *[4] * 3, 3]
    assert found.targets.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("spans", "beside"),
    [
        pytest.param([], [False, False], id="a text without spans"),
        pytest.param([(0, 5, "b")], [False, True], id="in the first window"),
        pytest.param([(36, 41, "b")], [True, False], id="in the second"),
        pytest.param([(24, 26, "b")], [False, False], id="in what both read"),
        pytest.param([(0, 2, "b"), (39, 41, "b")], [False, False], id="two, one in each"),
    ],
)
def test_windows_without_what_a_text_is_labelled_for(monkeypatch, words, spans, beside):
    data(monkeypatch, "toy", ("a", "b"))

    found = rows.windowed("toy", "sequence", [example("he " * 14, *spans, label="b")], words, TEXT)

    assert found.beside.tolist() == beside
    assert found.targets.tolist() == [1]


def windows(tokens, size, overlap):
    """The plain rule: go on until everything is read."""
    found = [(0, min(size, tokens))]
    while found[-1][1] < tokens:
        start = found[-1][0] + size - overlap
        found.append((start, min(start + size, tokens)))
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(count=st.integers(0, 150), overlap=st.integers(0, 9))
def test_the_windows_are_those_of_serving_up_to_the_most(monkeypatch, words, count, overlap):
    data(monkeypatch, "toy", ("a",))
    text = TEXT.model_copy(update={"overlap": overlap})

    found = rows.windowed("toy", "sequence", [example("he " * count, label="a")], words, text)

    expected = [stop - start + 2 for start, stop in windows(count, 10, overlap)]
    assert found.lengths.tolist() == expected[:MOST_WINDOWS]


def test_every_split_is_loaded_once(monkeypatch):
    texts = [f"{word} number {at}" for at, word in enumerate("red blue green".split() * 40)]
    data(monkeypatch, "toy", ("a",), [example(text, label="a") for text in texts])

    divided = rows.load("toy")

    found = [one.text for part in divided.values() for one in part]
    assert set(divided) == {"train", "validation", "test"}
    assert len(found) == len(set(found)) and set(found) <= set(texts)
    assert len(divided["train"]) > len(divided["test"])
