import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.matching.literals import Literals
from orchestrator.matching.words import fold, normal

TABLE = [
    pytest.param("cat", "concatenate", False, id="inside a word"),
    pytest.param("python", "python3", False, id="a digit continues the word"),
    pytest.param("python", "python_code", False, id="so does an underscore after"),
    pytest.param("python", "my_python", False, id="or before"),
    pytest.param("C++", "C++Builder", False, id="c++ in a name"),
    pytest.param("C++", "ObjC++", False, id="c++ at the end of a name"),
    pytest.param("C#", "C#script", False, id="c# in a name"),
    pytest.param(".NET", "ASP.NET", False, id=".net in a name"),
    pytest.param(".NET", ".NETCore", False, id=".net before a name"),
    pytest.param("Answer:", "Answer:42", False, id="label stuck to its value"),
    pytest.param("café", "caféteria", False, id="accent inside a word"),
    pytest.param("cafe", "café", False, id="accent changes the word"),
    pytest.param("caf", "café", False, id="accented letter continues the word"),
    pytest.param("cafe", "cafe\u0301", False, id="combining accent changes the word"),
    pytest.param("привет", "приветствие", False, id="cyrillic inside a word"),
    pytest.param("ode", "öode", False, id="umlaut before"),
    pytest.param("हिन्द", "हिन्दी", False, id="hindi vowel sign continues the word"),
    pytest.param("كتاب", "الكتاب", False, id="arabic article"),
    pytest.param("ที", "ที่", False, id="thai tone mark makes another word"),
    pytest.param("credit card", "credit  card", False, id="blanks are literal"),
    pytest.param("python", "I like python code", True, id="a word"),
    pytest.param("python", "Python.", True, id="case and punctuation"),
    pytest.param("python", "(python-based)", True, id="hyphen ends the word"),
    pytest.param("python", "I like python", True, id="at the end"),
    pytest.param("python", "用python写", True, id="between han characters"),
    pytest.param("python", "pythonで書く", True, id="before kana"),
    pytest.param("python", "\u201cpython\u201d", True, id="typographic quotes"),
    pytest.param("C++", "Explain C++ move semantics", True, id="c++"),
    pytest.param("C++", "解释C++语言", True, id="c++ between han"),
    pytest.param("C++", "C++Builder then c++", True, id="second occurrence counts"),
    pytest.param("C#", "Convert this C# code", True, id="c#"),
    pytest.param("C", "C# or C++", True, id="a symbol ends the word, as with \\b"),
    pytest.param(".NET", "Is .NET 8 faster?", True, id=".net"),
    pytest.param(".NET", "ASP.NET then .NET", True, id=".net after a name"),
    pytest.param("Answer:", "Answer: 42", True, id="label"),
    pytest.param("A)", "A) answer", True, id="choice"),
    pytest.param(",,", "A,,, ", True, id="symbols alone"),
    pytest.param("café", "a CAFÉ nearby", True, id="accent and case"),
    pytest.param("café", "a cafe\u0301 nearby", True, id="composed against combining"),
    pytest.param("cafe\u0301", "a café nearby", True, id="combining against composed"),
    pytest.param("привет", "скажи Привет!", True, id="cyrillic"),
    pytest.param("ΟΔΟΣ", "η οδος μας", True, id="greek with final sigma"),
    pytest.param("straße", "HAUPT STRASSE 5", True, id="sharp s"),
    pytest.param("istanbul", "İstanbul!", True, id="dotted capital i"),
    pytest.param("हिन्दी", "मुझे हिन्दी में बताओ", True, id="hindi"),
    pytest.param("كتاب", "أريد كتاب جديد", True, id="arabic"),
    pytest.param("数学", "我喜欢数学课", True, id="han inside a sentence"),
    pytest.param("こんにちは", "こんにちは世界", True, id="kana"),
    pytest.param("안녕하세요", "안녕하세요여러분", True, id="hangul"),
    pytest.param("코드", "코드를 고쳐줘", True, id="korean particle"),
    pytest.param("ธนาคาร", "ไปธนาคารครับ", True, id="thai inside a sentence"),
    pytest.param("机器learning", "学机器learning吧", True, id="mixed keyword"),
    pytest.param("内部 SDK", "用内部 SDK", True, id="mixed keyword with a blank"),
    pytest.param("🔥", "hot🔥stuff", True, id="emoji"),
    pytest.param("❤", "I ❤\ufe0f you", True, id="emoji with its selector"),
    pytest.param("  spaced  ", "a spaced word", True, id="blanks around a keyword do not count"),
    pytest.param("a|b", "x a|b y", True, id="operators of patterns are literal"),
    pytest.param("first\nsecond", "first\nsecond", True, id="line break"),
]


@pytest.mark.parametrize(("keyword", "text", "expected"), TABLE)
def test_literal(keyword, text, expected):
    assert bool(Literals([keyword]).found(text)) is expected


def test_case_sensitive():
    literals = Literals(["SSN", "café"], case_sensitive=True)

    assert literals.found("ssn CAFÉ") == []
    assert sorted(literals.found("SSN, cafe\u0301")) == [0, 1]


def test_all_keywords_of_one_text_are_found():
    literals = Literals(["C", "C++", "python", "数学", "absent"])

    assert sorted(literals.found("C++ 和 Python 数学")) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("keywords", "text", "expected"),
    [
        pytest.param(["under"], "thunder", 0, id="inside a word"),
        pytest.param(["at most", "under"], "at most 3, under 4, under 5", 3, id="sum"),
        pytest.param(["至少"], "至少三个，至少四个", 2, id="han"),
        pytest.param(["json", "JSON"], "json", 2, id="listed twice, counted twice"),
        pytest.param(["aa"], "aa aa aaa", 2, id="whole words"),
        pytest.param(["哈哈"], "哈哈哈哈哈", 2, id="no overlap"),
    ],
)
def test_count(keywords, text, expected):
    assert Literals(keywords).count(text) == expected


# The reference: every position, one character class by name, no shared code but the folding.
SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI")


def unspaced(character):
    return unicodedata.name(character, "").startswith(SCRIPTS)


def letter(character):
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def slow(keyword, text, fold=fold):
    keyword, text = fold(keyword.strip()), fold(text)
    for start in range(len(text) - len(keyword) + 1):
        if text[start : start + len(keyword)] != keyword:
            continue
        before, after = text[:start][-1:], text[start + len(keyword) :][:1]
        if any(map(unspaced, keyword)):
            if not after or unicodedata.category(after)[0] != "M":
                return True
        elif not any(map(letter, keyword)):
            return True
        elif not any(c and letter(c) and not unspaced(c) for c in (before, after)):
            return True
    return False


ALPHABET = st.sampled_from("abC1_ -+#.éßΣσжひ用ก\u0301ि🔥\n")
KEYWORDS = st.text(ALPHABET, min_size=1, max_size=4).filter(str.strip)


@given(st.lists(KEYWORDS, min_size=1, max_size=4), st.text(ALPHABET, max_size=20), st.booleans())
@settings(deadline=None)
def test_as_the_slow_reference_has_it(keywords, text, case_sensitive):
    expected = [
        index
        for index, keyword in enumerate(keywords)
        if slow(keyword, text, normal if case_sensitive else fold)
    ]

    assert sorted(Literals(keywords, case_sensitive=case_sensitive).found(text)) == expected


@given(st.text(min_size=1, max_size=5).filter(str.strip), st.text(max_size=30))
@settings(deadline=None)
def test_any_unicode_is_no_crash(keyword, text):
    literals = Literals([keyword])

    assert literals.found(text) in ([], [0])
    assert bool(literals.count(text)) == bool(literals.found(text))


def test_spans_are_of_the_text_without_case():
    literals = Literals(["STRASSE", "a b"])

    assert sorted(literals.spans("die Straße, a b c, a bc")) == [(4, 11), (13, 16)]
    assert list(literals.spans("nothing")) == []
