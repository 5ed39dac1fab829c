import pytest

from orchestrator.matching.personal_phones import MOST_PARSED, Phones
from orchestrator.matching.personal_text import project

PHONES = Phones()


def found(text):
    pieces = sorted(PHONES.find(text, project(text)))
    return list(dict.fromkeys(text[start:stop] for start, stop, _ in pieces))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("hotel 2125551234", id="a word inside another"),
        pytest.param("phone: 12", id="too short"),
        pytest.param("call me on 20240501", id="date"),
        pytest.param("call in ticket 2125551234", id="said to be something else"),
        pytest.param("tracking number 2125551234", id="a number of another kind"),
        pytest.param("(115) 555-2671", id="no area begins with 1"),
        pytest.param("212 155 2671", id="three groups that are no number"),
        pytest.param("0123 456 7890 1234 5678", id="a longer number"),
        pytest.param("number of order #2125551234", id="sign of an order"),
        pytest.param("order 13812345678 shipped", id="eleven digits in English"),
        pytest.param("订单号13812345678", id="order in Chinese"),
        pytest.param("订单号码 13812345678", id="number of an order"),
        pytest.param("编号10012345678。", id="no Chinese network"),
        pytest.param("at 0012 3456 7890", id="zeros before no country"),
    ],
)
def test_no_phone(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("+49 (0)89 1234567", ["+49 (0)89 1234567"], id="zero in brackets"),
        pytest.param("+1.4155552671", ["+1.4155552671"], id="as registrars write it"),
        pytest.param("tel:+14155552671", ["+14155552671"], id="link"),
        pytest.param("phone=4155552671;", ["4155552671"], id="assignment"),
        pytest.param("phone: 555-0123", ["555-0123"], id="local number with its word"),
        pytest.param("212 555 2671 and 212-555-2672", ["212 555 2671", "212-555-2672"], id="two"),
        pytest.param("(0171/2345678)", ["0171/2345678"], id="brackets around it"),
        pytest.param("+1 415 555 2671\n+3 4", ["+1 415 555 2671"], id="line ends"),
        pytest.param("0161 496 0000 0161 496 0001", ["0161 496 0000", "0161 496 0001"], id="list"),
        pytest.param("móvil 612 345 678", ["612 345 678"], id="Spanish"),
        pytest.param("+49 (0)171 / 2345678", ["+49 (0)171 / 2345678"], id="slash"),
        pytest.param("+49/171/2345678", ["+49/171/2345678"], id="slashes"),
        pytest.param("(+49) 171 2345678", ["(+49) 171 2345678"], id="code in brackets"),
        pytest.param("(+49 171 2345678)", ["+49 171 2345678"], id="all of it in brackets"),
        pytest.param("0049 (0)171 2345678", ["0049 (0)171 2345678"], id="zeros for the plus"),
        pytest.param("8-916-123-45-67", ["8-916-123-45-67"], id="Russian with hyphens"),
        pytest.param("Phone #: 4155552671", ["4155552671"], id="sign for a number"),
        pytest.param("ph. 4155552671, mob: 9876543210", ["4155552671", "9876543210"], id="short"),
        pytest.param("_+49 171 2345678_", ["+49 171 2345678"], id="emphasis"),
        pytest.param("फोन ९८७६५४३२१०", ["९८७६५४३२१०"], id="Devanagari"),
        pytest.param("फ़ोन: +९१ ९८७६५ ४३२१०", ["+९१ ९८७६५ ४३२१०"], id="Devanagari abroad"),
        pytest.param("هاتفي ٠٥٥١٢٣٤٥٦٧", ["٠٥٥١٢٣٤٥٦٧"], id="Arabic-Indic"),
        pytest.param("شماره ۰۹۱۲۳۴۵۶۷۸۹", ["۰۹۱۲۳۴۵۶۷۸۹"], id="Persian"),
        pytest.param("電話０３-１２３４-５６７８", ["０３-１２３４-５６７８"], id="full width"),
        pytest.param("เบอร์0812345678", ["0812345678"], id="Thai, after a mark"),
        pytest.param("Телефон 89161234567", ["89161234567"], id="capital"),
        pytest.param("张三，13812345678，北京", ["13812345678"], id="Chinese without a word"),
        pytest.param("携帯は09012345678", ["09012345678"], id="Japanese"),
    ],
)  # fmt: skip
def test_phone(text, expected):
    assert found(text) == expected


def test_a_text_of_very_many_candidates_is_judged_by_shape():
    """Nobody may hide a number behind many bad ones: past the limit a shape is enough."""
    bad = "0000 000 0000"

    assert found(bad) == []
    assert found(f"{bad}, " * MOST_PARSED) == [bad]
