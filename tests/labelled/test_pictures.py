import pytest

from orchestrator.errors import ConfigError
from orchestrator.labelled.pictures import files
from tests.labelled.scenes import write


@pytest.mark.parametrize(
    "name", ["labels.json", "README", ".hidden.png", ".git/a.png", "a.svg"], ids=str
)
def test_what_is_no_picture(tmp_path, name):
    write(tmp_path, name, "there.png")

    assert list(files(tmp_path)) == ["there.png"]


def test_names_are_paths_from_the_folder_in_order(tmp_path):
    write(tmp_path, "b/1.JPG", "a.webp", "b/0.gif")

    found = files(tmp_path)

    assert list(found) == ["a.webp", "b/0.gif", "b/1.JPG"]
    assert found["b/1.JPG"].read_bytes() == b"1.JPG"


def test_a_named_file_counts_whatever_it_is_called(tmp_path):
    write(tmp_path, "a.svg", "b.svg")

    assert list(files(tmp_path, {"a.svg"})) == ["a.svg"]


def test_a_folder_called_as_a_picture_is_none(tmp_path):
    (tmp_path / "a.png").mkdir()

    with pytest.raises(ConfigError, match="has no picture"):
        files(tmp_path)


def test_no_such_folder(tmp_path):
    with pytest.raises(ConfigError, match=r"absent is no folder$"):
        files(tmp_path / "absent")
