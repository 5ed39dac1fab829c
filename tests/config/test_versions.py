import os
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.config.versions import FOLDER, Versions
from orchestrator.config.writing import PUBLIC, write_file
from orchestrator.errors import ConfigError


class Clock:
    def __init__(self):
        self.now = datetime(2026, 11, 30, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(microseconds=1)
        return self.now


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "router.yaml"
    path.write_text("now")
    path.chmod(0o640)
    return path


def test_the_last_ten_are_kept_the_newest_first(file):
    versions = Versions(file, now=Clock())
    for number in range(12):
        versions.keep(f"text {number}")

    texts = [versions.text(version.id) for version in versions.all()]

    assert texts == [f"text {number}" for number in range(11, 1, -1)]


def test_an_old_text_that_cannot_be_removed_is_in_nobodys_way(file):
    versions = Versions(file, kept=1, now=Clock())
    old = versions.keep("a").path
    old.unlink()
    old.mkdir()  # which unlink refuses, of root too

    assert versions.text(versions.keep("b").id) == "b"
    assert old.exists()


def test_a_text_that_is_the_newest_is_not_kept_twice(file):
    versions = Versions(file, now=Clock())

    assert versions.keep("a") == versions.keep("a")
    versions.keep("b")
    versions.keep("a")

    assert [versions.text(one.id) for one in versions.all()] == ["a", "b", "a"]


def test_versions_are_as_private_as_the_file_and_lie_beside_it(file):
    version = Versions(file).keep("secret")

    assert version.path.parent == file.parent / FOLDER
    assert version.path.stat().st_mode & 0o777 == 0o640
    assert version.path.parent.stat().st_mode & 0o777 == 0o700


def test_files_of_others_are_left_alone(file):
    versions, clock = Versions(file, kept=1, now=Clock()), Clock()
    other = Versions(file.with_name("other.yaml"), now=clock)
    kept = other.keep("other")
    stray = kept.path.with_name("router.notes.yaml")
    stray.write_text("mine")
    versions.keep("a")
    versions.keep("b")

    assert [versions.text(one.id) for one in versions.all()] == ["b"]
    assert stray.exists()
    assert kept.path.exists()


@pytest.mark.parametrize(
    "version_id", ["", "../router", "notes", "20261399T000000.000000Z-" + "a" * 12]
)
def test_what_is_no_version_has_no_text(file, version_id):
    versions = Versions(file)
    versions.keep("a")

    assert versions.text(version_id) is None


def test_a_folder_that_cannot_be_made_is_told(file):
    (file.parent / FOLDER.parent).write_text("a file")

    with pytest.raises(ConfigError, match="cannot make"):
        Versions(file).keep("a")


def test_a_file_is_replaced_with_its_rights_and_nothing_is_left_beside_it(file):
    before = file.stat().st_ino

    write_file(file, "später")

    assert file.read_text() == "später"
    assert file.stat().st_ino != before
    assert file.stat().st_mode & 0o777 == 0o640
    assert os.listdir(file.parent) == ["router.yaml"]


def test_a_link_stays_a_link(file):
    link = file.with_name("link.yaml")
    link.symlink_to(file.name)

    write_file(link, "new")

    assert link.is_symlink()
    assert file.read_text() == "new"


def test_a_new_file_is_its_owners(tmp_path):
    write_file(tmp_path / "new.yaml", "text")

    assert (tmp_path / "new.yaml").stat().st_mode & 0o777 == 0o600


def test_a_new_file_may_be_everybodys_to_read(tmp_path):
    write_file(tmp_path / "new.json", "text", mode=PUBLIC)

    assert (tmp_path / "new.json").stat().st_mode & 0o777 == 0o644


def test_where_it_cannot_be_written_it_stays(tmp_path):
    folder = tmp_path / "router.yaml"
    folder.mkdir()

    with pytest.raises(ConfigError, match=r"cannot write .*router\.yaml"):
        write_file(folder, "text")

    assert os.listdir(tmp_path) == ["router.yaml"]
