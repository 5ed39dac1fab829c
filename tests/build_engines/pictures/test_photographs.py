import pytest

pytest.importorskip("matplotlib", reason="needs the engines environment: make test-engines")

from build_engines.pictures import SPLITS, photographs


def test_a_file_stands_in_one_split():
    files = [(one.package, one.file) for one in photographs.table()]
    assert len(files) == len(set(files))


def test_every_file_has_a_licence():
    known = {"CC0-1.0", "CC-BY-2.0", "MIT", "BSD-3-Clause", "public domain"}
    assert {one.licence for one in photographs.table()} <= known


@pytest.mark.parametrize("group", ["photo", "medical"])
def test_every_split_has_some(group):
    assert all(photographs.of(split, group) for split in SPLITS)


@pytest.mark.parametrize("kind", ["x_ray", "ct", "mri", "ultrasound"])
def test_what_is_tested_was_also_trained(kind):
    for split in ("train", "test"):
        assert kind in {one.kind for one in photographs.of(split, "medical")}
