import json

import pytest

from orchestrator.config.catalog import KnowledgeBase
from orchestrator.config.knowledge import MOST_BYTES, manifest_path, read_manifest
from orchestrator.errors import ConfigError

GOOD = {"labels": {"code": {"exemplars": ["def f(x)", " pip install "]}}}


def written(folder, text):
    path = folder / "labels.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("{", "Invalid JSON: EOF.*line 1 column 1", id="half a document"),
        pytest.param("labels: {}", "Invalid JSON", id="YAML"),
        pytest.param([], "Input should be an object", id="a list"),
        pytest.param({}, "labels: Field required", id="no labels"),
        pytest.param({"labels": {}}, "labels: .*at least 1", id="empty labels"),
        pytest.param(
            {"labels": {"code": {}}}, "labels.code.exemplars: Field required", id="no exemplars"
        ),
        pytest.param(
            {"labels": {"code": {"exemplars": []}}},
            "labels.code.exemplars: .*at least 1",
            id="empty exemplars",
        ),
        pytest.param(
            {"labels": {"code": {"exemplars": ["a", " "]}}},
            r"labels.code.exemplars\[1\]: .*at least 1",
            id="blank exemplar",
        ),
        pytest.param(
            {"labels": {"a": {"exemplars": "x"}, "b": {"exemplars": "y"}}},
            r"labels.a.exemplars: .*\(and 1 more\)",
            id="two faults",
        ),
    ],
)
def test_a_bad_manifest_is_refused_with_its_place(tmp_path, text, said):
    path = written(tmp_path, text)

    with pytest.raises(ConfigError, match=f"^{path}: {said}"):
        read_manifest(path)


def test_a_manifest_that_is_no_file_or_too_large_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="cannot read .*: Is a directory"):
        read_manifest(tmp_path)
    large = written(tmp_path, " " * (MOST_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than 16 MiB"):
        read_manifest(large)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="labels alone"),
        pytest.param({"version": 2, "description": "d", "author": "a"}, id="more than is read"),
    ],
)
def test_a_good_manifest(tmp_path, more):
    manifest = read_manifest(written(tmp_path, GOOD | more))

    assert manifest.labels["code"].exemplars == ("def f(x)", "pip install")


def test_a_byte_order_mark_does_not_matter(tmp_path):
    assert read_manifest(written(tmp_path, "\ufeff" + json.dumps(GOOD))).labels


@pytest.mark.parametrize(
    ("installed", "found"),
    [
        pytest.param([], None, id="nowhere"),
        pytest.param(["second"], "second", id="in a later folder"),
        pytest.param(["first", "second"], "first", id="the first one counts"),
    ],
)
def test_a_base_is_looked_for_in_the_folders(tmp_path, installed, found):
    for name in installed:
        (tmp_path / name / "kb").mkdir(parents=True)
        written(tmp_path / name / "kb", GOOD)
    base = KnowledgeBase.model_validate({"name": "b", "source": {"path": "kb/"}, "threshold": 0.5})

    path = manifest_path(base, [tmp_path / "first", tmp_path / "second"])

    assert path == (found and tmp_path / found / "kb" / "labels.json")


def test_an_absolute_path_and_another_name(tmp_path):
    (tmp_path / "other.json").write_text(json.dumps(GOOD))
    source = {"path": str(tmp_path), "manifest": "other.json"}
    base = KnowledgeBase.model_validate({"name": "b", "source": source, "threshold": 0.5})

    assert manifest_path(base, [tmp_path / "elsewhere"]) == tmp_path / "other.json"
    assert manifest_path(base, []) == tmp_path / "other.json"
