import pytest

from orchestrator.reference.writing import Line, flow, written

LONG = "word " * 25

ROWS = [
    pytest.param(Line(2, "key", "1"), ["    key: 1"], id="bare"),
    pytest.param(Line(2, "key", "1", "int", "Why."), ["    key: 1  # int. Why."], id="noted"),
    pytest.param(Line(2, "key", "1", live=False), ["    #key: 1"], id="commented out"),
    pytest.param(Line(2, "key", first=True), ["  - key:"], id="first of a row"),
    pytest.param(Line(2, "key", live=False, first=True), ["  #- key:"], id="both"),
    pytest.param(Line(2, note="One.\n\nTwo."), ["    # One.", "    # ", "    # Two."], id="text"),
    pytest.param(Line(0, "key", "1"), ["", "key: 1"], id="top level"),
    pytest.param(Line(1, "key"), ["", "  key:"], id="a block right below"),
    pytest.param(Line(1, "key", "1"), ["  key: 1"], id="a value right below"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "text"), ROWS)
def test_line(line, text):
    assert list(written([line])) == text


def test_a_long_note_goes_above():
    *above, key = written([Line(2, "key", "1", note=LONG)])

    assert key == "    key: 1"
    assert len(above) == 2
    assert all(len(line) <= 100 and line.startswith("    # word") for line in above)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(None, "null", id="nothing"),
        pytest.param("...", "...", id="dots"),
        pytest.param("plain", "plain", id="text"),
        pytest.param("", "''", id="empty"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(0.5, "0.5", id="number"),
        pytest.param([], "[]", id="empty list"),
        pytest.param(["a", "b c"], "[a, b c]", id="list"),
    ],
)
def test_flow(value, text):
    assert flow(value) == text
