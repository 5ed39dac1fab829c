import pytest

from orchestrator.config.fields import Strict, one_of, parse_duration


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("", id="empty"),
        pytest.param("soon", id="word"),
        pytest.param("5x", id="unknown unit"),
        pytest.param("1m 30s", id="blank inside"),
        pytest.param("-1s", id="negative"),
        pytest.param(-1, id="negative number"),
        pytest.param(True, id="truth value"),
        pytest.param(float("nan"), id="not a number"),
        pytest.param("9" * 70 + "h", id="too long"),
        pytest.param("99999999h", id="longer than any use"),
        pytest.param(["1s"], id="list"),
    ],
)
def test_not_durations(value):
    with pytest.raises(ValueError, match="expected a duration such as"):
        parse_duration(value)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("300s", 300),
        ("1m30s", 90),
        ("500ms", 0.5),
        ("1.5h", 5400),
        (" 2s ", 2),
        ("250us", 0.00025),
        ("0", 0),
        ("2.5", 2.5),
        (30, 30),
    ],
)
def test_durations(value, seconds):
    assert parse_duration(value) == pytest.approx(seconds)


def test_one_of():
    check = one_of("a b")

    assert check("b") == "b"
    with pytest.raises(ValueError, match="expected one of a, b"):
        check("c")


def test_null_is_not_given_and_numbers_are_text():
    class Row(Strict):
        name: str = "default"
        size: int = 1

    row = Row.model_validate({"name": None, "size": 3})

    assert (row.name, row.model_fields_set) == ("default", {"size"})
    assert Row.model_validate({"name": 8}).name == "8"
