import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.config.fields import (
    Count,
    Header,
    Name,
    OneOf,
    Port,
    Strict,
    Unit,
    Variable,
    parse_duration,
)


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


def test_one_of_some_words():
    check = OneOf("a b")

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


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        pytest.param(Name, "a\nb", "no control characters", id="newline in a name"),
        pytest.param(Name, "a\x1b[31m", "no control characters", id="escape in a name"),
        pytest.param(Name, "a\0b", "no control characters", id="NUL in a name"),
        pytest.param(Port, True, "expected a number", id="true is no port"),
        pytest.param(Count, True, "expected a number", id="true is no count"),
        pytest.param(Unit, False, "expected a number", id="false is no share"),
        pytest.param(Header, "x user", "the name of a header", id="header with a blank"),
        pytest.param(Variable, "sk-hunter2secret", "not the key itself", id="key for a variable"),
        pytest.param(Variable, "2KEY", "name of an environment variable", id="digit first"),
    ],
)
def test_refused_values(kind, value, message):
    with pytest.raises(ValidationError, match=message):
        TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        pytest.param(Name, " naïve 名 ", "naïve 名", id="name"),
        pytest.param(Port, "8000", 8000, id="port as text"),
        pytest.param(Header, "X-User", "x-user", id="header"),
        pytest.param(Variable, "_KEY_2", "_KEY_2", id="variable"),
    ],
)
def test_accepted_values(kind, value, expected):
    assert TypeAdapter(kind).validate_python(value) == expected
