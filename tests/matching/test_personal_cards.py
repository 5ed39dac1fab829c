import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from orchestrator.matching.personal import Personal
from orchestrator.matching.personal_cards import Cards
from orchestrator.matching.personal_checks import ISSUERS, is_card, luhn
from orchestrator.matching.personal_text import digits_of, project

CARDS = Cards()
PERSONAL = Personal()
SEPARATE = " ".join("4111111111111111")


def found(text):
    pieces = sorted(CARDS.find(text, project(text)))
    return list(dict.fromkeys(text[start:stop] for start, stop, _ in pieces))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("4111.1111.1111.1112", id="wrong check digit"),
        pytest.param(SEPARATE[:-1] + "2", id="wrong check digit, one by one"),
        pytest.param(SEPARATE + " 1", id="one digit more"),
        pytest.param("[4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", id="list with commas"),
        pytest.param("4 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1 1 -1", id="negative numbers"),
        pytest.param("4.1 1.1 1.1 1.1 1.1 1.1 1.1 1.1", id="decimals"),
        pytest.param("4111.1111 1111.1111", id="two decimals of four places"),
        pytest.param("ages: 41 11 11 11 11 11 11 11", id="numbers of two digits"),
        pytest.param("4111\n1111\n1111\n1111", id="a column"),
        pytest.param("\n".join("4111111111111111"), id="a column of digits"),
        pytest.param("4111 1111\n1111 1111\n4111 1111\n1111 1111", id="a table of two columns"),
        pytest.param("4111 1111\n1111 1111 1111", id="a table with a longer row"),
        pytest.param("41111111\n11111111", id="two numbers in two lines"),
        pytest.param("4111 11111111 1111", id="groups of no card"),
        pytest.param("123e4567-4111-1111-1111-111142661417", id="UUID"),
        pytest.param("a4111-1111-1111-1111", id="hexadecimal"),
        pytest.param("x4111111111111111", id="identifier"),
        pytest.param("id_4111111111111111", id="name with an underscore"),
        pytest.param("4111111111111111.5", id="decimal"),
        pytest.param("card of 2019 is 41 11", id="card and other numbers"),
        pytest.param("card 4111 1111 1111 1112", id="wrong check digit behind its word"),
    ],
)
def test_no_card(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("4111.1111.1111.1111", "4111.1111.1111.1111", id="dots"),
        pytest.param("4111 - 1111 - 1111 - 1111.", "4111 - 1111 - 1111 - 1111", id="wide hyphens"),
        pytest.param("4111  1111\t1111\xa01111", "4111  1111\t1111\xa01111", id="all blanks"),
        pytest.param("4111-1111 1111\u20131111", "4111-1111 1111\u20131111", id="a mixture"),
        pytest.param("4111 1111\n1111 1111", "4111 1111\n1111 1111", id="line end"),
        pytest.param("4111-1111-\r\n 1111-1111", "4111-1111-\r\n 1111-1111", id="hyphen, line end"),
        pytest.param("> 4111 1111\n> 1111 1111", "4111 1111\n> 1111 1111", id="in a quotation"),
        pytest.param("4111 1111\n1111 1111\n12/25", "4111 1111\n1111 1111", id="and when it ends"),
        pytest.param(SEPARATE, SEPARATE, id="one by one"),
        pytest.param(f"7 12 {SEPARATE} 12/25", SEPARATE, id="one by one between numbers"),
        pytest.param(f"12 34 {SEPARATE}", SEPARATE, id="one by one behind numbers"),
        pytest.param("3782 8224 6310 005", "3782 8224 6310 005", id="amex in fours"),
        pytest.param("3056 9309 0259 04", "3056 9309 0259 04", id="Diners in fours"),
        pytest.param("4111 1111 1111 1111-123", "4111 1111 1111 1111", id="with its code"),
        pytest.param("4111111111111111-12/25", "4111111111111111", id="with its end"),
        pytest.param("4111111111111111exp12/25", "4111111111111111", id="with its end glued"),
        pytest.param("nr4111 1111 1111 1111xyz", "4111 1111 1111 1111", id="letters beside groups"),
        pytest.param("_4111111111111111_", "4111111111111111", id="emphasis"),
        pytest.param("card4111111111111111abc", "4111111111111111", id="glued to its word"),
        pytest.param("cards: 4111/1111/1111/1111", "4111/1111/1111/1111", id="slashes"),
        pytest.param("my visa is 37828 22463 10005 ok", "37828 22463 10005", id="other groups"),
        pytest.param("card: 41111111\n11111111", "41111111\n11111111", id="line end in a group"),
        pytest.param("card 4111111111111111 12/25 123", "4111111111111111", id="all of it"),
        pytest.param("карта 41111111 11111111", "41111111 11111111", id="Russian"),
        pytest.param("信用卡41111111-11111111", "41111111-11111111", id="Chinese"),
        pytest.param("४१११-११११-११११-११११", "४१११-११११-११११-११११", id="Devanagari"),
    ],
)  # fmt: skip
def test_card(text, expected):
    assert found(text) == [expected]


@st.composite
def numbers(draw):
    """Digits of a card of any issuer and length."""
    low, high, lengths = draw(st.sampled_from(ISSUERS))
    length = draw(st.sampled_from(lengths))
    prefix = str(draw(st.integers(low, high)))
    rest = length - len(prefix) - 1
    body = prefix + "".join(
        draw(st.lists(st.sampled_from("0123456789"), min_size=rest, max_size=rest))
    )
    return body + next(digit for digit in "0123456789" if luhn(body + digit))


GROUPS = {
    14: ((14,), (4, 6, 4), (4, 4, 4, 2)),
    15: ((15,), (4, 6, 5), (4, 4, 4, 3)),
    16: ((16,), (4, 4, 4, 4)),
    17: ((17,),),
    18: ((18,),),
    19: ((19,), (4, 4, 4, 4, 3)),
}
GAPS = st.sampled_from([" ", "  ", "\t", "\xa0", "\u2009", "-", "\u2013", "\u2212", " - "])
LINE_ENDS = st.sampled_from(["\n", "\r\n", " \n", "-\n", "\n  ", "\u2028"])
UNSEEN = st.sampled_from(["", "", "", "\u200b", "\u2060", "\xad", "\ufeff", "\u200d"])
DIGITS = st.sampled_from(["0", "\u0660", "\u06f0", "\u0966", "\uff10"])  # zeros of scripts


@st.composite
def settings_of(draw, digits):
    """A number with any mixture of separators, or dots alone; as printed, or digit by digit."""
    sizes = draw(st.sampled_from((*GROUPS[len(digits)], (1,) * len(digits))))
    gaps = draw(st.lists(GAPS, min_size=len(sizes) - 1, max_size=len(sizes) - 1))
    if draw(st.booleans()):
        gaps = ["."] * len(gaps)
    elif gaps and draw(st.booleans()):
        gaps[draw(st.integers(0, len(gaps) - 1))] = draw(LINE_ENDS)
    zero = ord(draw(DIGITS))
    unseen = draw(st.booleans())
    text = ""
    for size, gap in zip(sizes, [*gaps, ""], strict=True):
        group = digits[:size]
        digits = digits[size:]
        shown = [chr(zero + int(digit)) for digit in group]
        inner = [draw(UNSEEN) if unseen else "" for _ in shown[1:]]
        text += "".join(a + b for a, b in zip(shown, [*inner, ""], strict=True)) + gap
    return text


def cards_in(text):
    return [text[o.start : o.stop] for o in PERSONAL.find(text) if o.label == "CREDIT_CARD"]


@given(st.data(), numbers())
@settings(deadline=None, max_examples=300)
def test_a_card_is_found_whole_in_any_mixture_of_separators(data, digits):
    number = data.draw(settings_of(digits))
    before = data.draw(st.sampled_from(["", "pay ", "我的", "😀", "(", "e\u0301 ", "no:\n\n"]))
    after = data.draw(st.sampled_from(["", " please", "。", ")", ", thanks", "\ud800"]))

    assert cards_in(before + number + after) == [number]


@given(st.data(), numbers(), st.integers(1, 9))
@settings(deadline=None, max_examples=300)
def test_a_number_with_a_wrong_check_digit_is_no_card(data, digits, more):
    wrong = digits[:-1] + str((int(digits[-1]) + more) % 10)
    assume(len(wrong) != 19 or not is_card(wrong[:16]))  # a card and the three digits of its code
    number = data.draw(settings_of(wrong))

    assert cards_in(f"pay {number} please") == []


@given(st.text(alphabet=st.sampled_from(list("4111 5.-\n\t_/ac\u200b\u0664"))))
@settings(deadline=None)
def test_whatever_is_found_is_a_card(text):
    assert all(is_card(digits_of(project(piece))) for piece in cards_in(text))
