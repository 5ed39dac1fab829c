import pytest

from orchestrator.matching.personal_checks import is_card, is_iban, is_ssn, luhn


@pytest.mark.parametrize(
    "digits",
    [
        pytest.param("", id="empty"),
        pytest.param("4111111111111112", id="check digit"),
        pytest.param("411111111111111", id="length of another issuer"),
        pytest.param("9111111111111117", id="no issuer"),
        pytest.param("0000000000000000", id="zeros pass Luhn"),
    ],
)
def test_no_card(digits):
    assert not is_card(digits)


@pytest.mark.parametrize(
    "digits",
    [
        pytest.param("4111111111111111", id="Visa"),
        pytest.param("5555555555554444", id="Mastercard"),
        pytest.param("2223003122003222", id="Mastercard, new range"),
        pytest.param("378282246310005", id="American Express"),
        pytest.param("6011111111111117", id="Discover"),
        pytest.param("30569309025904", id="Diners"),
        pytest.param("3530111333300000", id="JCB"),
    ],
)
def test_card(digits):
    assert is_card(digits)


@pytest.mark.parametrize("digit", "0123456789")
def test_luhn_accepts_one_last_digit_of_ten(digit):
    assert luhn("7992739871" + digit) == (digit == "3")


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        pytest.param("DE89370400440532013001", False, id="one digit off"),
        pytest.param("DE8937040044053201300", False, id="short"),
        pytest.param("DEXX370400440532013000", False, id="check is no number"),
        pytest.param("DE89370400440532013000", True, id="Germany"),
        pytest.param("GB82WEST12345698765432", True, id="United Kingdom"),
        pytest.param("NO9386011117947", True, id="Norway"),
        pytest.param("MT84MALT011000012345MTLCAST001S", True, id="Malta"),
    ],
)
def test_iban(account, expected):
    assert is_iban(account) is expected


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        pytest.param("000123456", False, id="area 000"),
        pytest.param("666123456", False, id="area 666"),
        pytest.param("900123456", False, id="area 900"),
        pytest.param("123004567", False, id="group 00"),
        pytest.param("123450000", False, id="serial 0000"),
        pytest.param("12345678", False, id="eight digits"),
        pytest.param("001010001", True, id="the lowest"),
        pytest.param("899999999", True, id="the highest"),
    ],
)
def test_ssn(digits, expected):
    assert is_ssn(digits) is expected
