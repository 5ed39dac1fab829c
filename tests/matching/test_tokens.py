"""An estimate beside what the text models' own tokenizer counts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from orchestrator.matching.tokens import COUNTED, tokens

FILE = Path(__file__).parents[2] / "model_repository" / "text_signals" / "tokenizer.json"
HEX = "3fa9c20d7b61e8f4a05c9d12b7e6f83a"


@pytest.fixture(scope="module")
def tokenizer():
    found = Tokenizer.from_file(str(FILE))
    found.no_truncation()
    return found


def test_nothing_has_no_tokens():
    assert (tokens(""), tokens(b"")) == (0, 0)


# The least and the most that the estimate is of the tokenizer's count (2026-11).
@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param(
            "The committee met on Tuesday to discuss how the new library should be paid for.",
            0.9,
            1.2,
            id="prose",
        ),
        pytest.param("hey can u help me fix my sister's laptop, it wont turn on", 0.8, 1.1, id="x"),
        pytest.param(
            "def read(self, at: int) -> str:\n    return self._x[at]", 0.8, 1.2, id="code"
        ),
        pytest.param("17,5021.34,2024-03-18,OK,839201", 0.9, 1.15, id="a table"),
        pytest.param(
            '{"id": 17, "user": "u382", "amount": 59.17, "ok": true, "tags": ["a", "b"]}',
            0.8,
            1.2,
            id="a line of JSON",
        ),
        pytest.param(
            "2024-05-17T12:41:07.123Z INFO [worker-7] GET /users/7 200 31ms", 0.8, 1.2, id="log"
        ),
        pytest.param("3f a9 c2 0d 7b 61 e8 f4 a0 5c 9d 12", 0.8, 1.2, id="hexadecimal pairs"),
        pytest.param(
            f"{HEX[:8]}-{HEX[8:12]}-{HEX[12:16]}-{HEX[16:20]}-{HEX[20:]}", 0.7, 1.2, id="uuid"
        ),
        pytest.param("JhK8/fQ2mZtR+x0Lq9vBnC7wYd3sGpEa/TuIo5XkWz1=", 0.75, 1.2, id="base64"),
        pytest.param("?!.,;:-()[]{}", 1.0, 1.0, id="punctuation"),
        pytest.param("1,2,3,4,5,6,7,8,9,0", 1.0, 1.0, id="digits"),
        pytest.param("敏捷的棕色狐狸跳过懒狗，然后睡着了。", 1.0, 1.0, id="Chinese"),
        pytest.param("素早い茶色のキツネがのろまな犬を飛び越えた。", 0.9, 1.8, id="Japanese"),
        pytest.param("빠른 갈색 여우가 게으른 개를 뛰어넘는다.", 0.8, 1.3, id="Korean"),
        pytest.param("Быстрая коричневая лиса перепрыгивает через собаку.", 0.8, 1.2, id="Russian"),
        pytest.param(
            "Le vif renard brun saute par-dessus le chien, après l'école.", 0.75, 1.2, id="French"
        ),
    ],
)
@pytest.mark.parametrize("times", [1, 60], ids=["once", "long"])
def test_about_as_many_as_the_tokenizer_counts(tokenizer, text, least, most, times):
    text = "\n".join([text] * times)

    counted = len(tokenizer.encode(text, add_special_tokens=False).ids)

    slack = 2 if times == 1 else 0
    assert least * counted - slack <= tokens(text) <= most * counted + slack


def test_a_dense_text_has_several_times_as_many_as_prose():
    prose = "The committee met on Tuesday to discuss the new library. " * 100
    table = "17,5021.34,2024-03-18,OK,839201\n" * 200

    assert tokens(table) / len(table) > 2.5 * tokens(prose) / len(prose)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("word " * 50_000, 50_000, id="words"),
        pytest.param("," * 250_000, 250_000, id="punctuation"),
        pytest.param("用" * 100_000, 100_000, id="Chinese"),
        pytest.param("word " * 25_000 + "," * 125_000, 150_000, id="half and half"),
    ],
)
def test_of_a_long_text_slices_tell(text, expected):
    assert len(text.encode()) > COUNTED
    assert tokens(text) == pytest.approx(expected, rel=0.03)


@given(st.text())
def test_at_most_one_a_byte(text):
    assert 0 <= tokens(text) <= len(text.encode("utf-8", "replace"))
    assert tokens(text) == tokens(text.encode("utf-8", "replace"))
