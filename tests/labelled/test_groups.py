import json

import pytest

from orchestrator.errors import ConfigError
from orchestrator.labelled.groups import Labels, read, refuse_absent

GOOD = """\
groups:
  receipt: [a receipt, a till slip, a receipt]
  chart: [a chart, a receipt]
pictures: {till.jpg: receipt, cat.webp: other}
"""


@pytest.fixture
def parsed(tmp_path):
    def parse(text):
        path = tmp_path / "labels.yaml"
        path.write_text(text)
        return read(path)

    return parse


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[a, b]", "is no mapping of groups", id="a list"),
        pytest.param("", "is no mapping of groups", id="empty"),
        pytest.param("{a: [", "is neither YAML nor JSON: line ", id="not closed"),
        pytest.param("a: !!python/object:x {}", "is neither YAML nor JSON", id="a foreign tag"),
        pytest.param("groups: {}", "groups", id="no group"),
        pytest.param("pictures: {a.png: b}", "'groups' is missing", id="pictures alone"),
        pytest.param("groups: {a: []}", "groups.a", id="no text"),
        pytest.param("groups: {a: [' ']}", r"groups.a\[0\]", id="a blank text"),
        pytest.param("groups: {a: [1]}", "expected a text, found 1", id="a number"),
        pytest.param("groups: {1: [a]}", "groups", id="a number as a name"),
        pytest.param("receipt: a receipt", "a list", id="a text for a list"),
        pytest.param("{groups: {a: [b]}, picturs: {}}", "unknown key 'picturs'", id="a typo"),
        pytest.param(
            "groups: {receipt: [a]}\npictures:\n  x.png: recipt",
            r":3: pictures.x.png: unknown group 'recipt' \(did you mean 'receipt'\?\)",
            id="an unknown group",
        ),
    ],
)
def test_what_is_refused(parsed, text, said):
    with pytest.raises(ConfigError, match=said):
        parsed(text)


@pytest.mark.parametrize("absent", ["absent.yaml", "."], ids=["no file", "a folder"])
def test_what_cannot_be_read(tmp_path, absent):
    with pytest.raises(ConfigError, match="cannot read"):
        read(tmp_path / absent)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "labels").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="not UTF-8"):
        read(tmp_path / "labels")


def test_groups_and_pictures(parsed):
    found = parsed(GOOD)

    assert found.groups == {
        "receipt": ("a receipt", "a till slip"),
        "chart": ("a chart", "a receipt"),
    }
    assert found.texts == ("a receipt", "a till slip", "a chart")
    assert found.right(["till.jpg", "cat.webp", "new.png"]) == {
        "till.jpg": "receipt",
        "cat.webp": "other",
    }


def test_json_is_read_too(parsed):
    assert parsed(json.dumps({"groups": {"a": ["b"]}})).groups == {"a": ("b",)}


def test_groups_alone(parsed):
    assert parsed("a: [b, c]") == Labels({"a": ("b", "c")}, {}, parsed("a: [b, c]").path)


def test_without_pictures_the_folder_is_the_group(parsed):
    found = parsed("a: [b]").right(["a/1.png", "a/deep/2.png", "other/3.png", "4.png"])

    assert found == {"a/1.png": "a", "a/deep/2.png": "a", "other/3.png": "other"}


def test_a_folder_that_is_no_group(parsed):
    with pytest.raises(ConfigError, match=r"reciept.*did you mean 'receipt'"):
        parsed("receipt: [b]").right(["reciept/1.png"])


def test_with_pictures_folders_say_nothing(parsed):
    found = parsed("groups: {a: [b]}\npictures: {a/1.png: other}")

    assert found.right(["a/1.png", "a/2.png", "x/3.png"]) == {"a/1.png": "other"}


def test_every_picture_that_is_not_there_is_named(parsed):
    with pytest.raises(ConfigError) as raised:
        refuse_absent(parsed(GOOD), ["cat.webp"])

    assert [one.message for one in raised.value.problems] == ["there is no picture 'till.jpg'"]
    refuse_absent(parsed(GOOD), ["cat.webp", "till.jpg", "new.png"])
