import pytest
import yaml


@pytest.fixture
def text(tsr):
    told = tsr("reference")
    assert told.code == 0
    return told.out


def test_prints_yaml(text):
    assert yaml.safe_load(text)["version"] == "v0.3"


def test_a_file_that_says_the_same_passes(tsr, text, tmp_path):
    file = tmp_path / "reference.yaml"
    file.write_text(text)

    told = tsr("reference", "--check", file)

    assert (told.code, told.out) == (0, "")


def test_a_stale_file_fails(tsr, text, tmp_path):
    file = tmp_path / "reference.yaml"
    file.write_text(text.replace("signal_deadline: 2s", "signal_deadline: 3s"))

    told = tsr("reference", "--check", file)

    assert told.code == 1
    assert "is stale" in told.err


def test_a_file_that_is_not_there_fails(tsr, tmp_path):
    told = tsr("reference", "--check", tmp_path / "none.yaml")

    assert told.code == 1
    assert "cannot read" in told.err
