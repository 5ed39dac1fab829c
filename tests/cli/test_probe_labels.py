"""A scripted encoder stands for Triton, which tests/triton starts."""

import contextlib
import json

import pytest
import yaml

from orchestrator.cli import probe_labels
from orchestrator.errors import InferenceError, RouterError
from tests.labelled.scenes import GROUPS, RIGHT, inference, write


@pytest.fixture
def images(tmp_path):
    return write(tmp_path / "pictures")


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"groups": GROUPS, "pictures": RIGHT}))
    return path


@pytest.fixture
def told(images, labels, capsys, monkeypatch):
    """What is printed, on stdout and on stderr."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(asked=None, **options):
        live = contextlib.nullcontext(asked or inference())
        probe_labels.report(live, images, labels, **options)
        return capsys.readouterr()

    return run


def test_scores_figures_and_nothing_else(told):
    out = told().out

    assert "till.jpg" in out
    assert "1 receipt  2 chart" in out
    assert "inversion rate 0.0%, 0 of 3 pictures" in out
    assert "unknown, KNOWN below 0.5: 1 of 1 others" in out
    assert "routing:" not in out


def test_an_inverted_encoder_is_told_after_all_is_printed(told, capsys):
    with pytest.raises(RouterError, match=r"3 of 3 pictures are inverted \(100.0%, allowed 0.0%\)"):
        told(inference(sign=-1))

    assert "inversion rate 100.0%" in capsys.readouterr().out


def test_as_many_as_are_allowed(told):
    assert "inversion rate 100.0%" in told(inference(sign=-1), most_inverted=1.0).out


def test_json_names_what_is_not_read(told):
    said = told(inference(refused={"shop.png": "a png that is cut short"}), as_json=True)

    found = json.loads(said.out)
    assert found["refused"] == {"shop.png": "a png that is cut short"}
    assert [one["file"] for one in found["images"]] == ["bars.gif", "cat.webp", "till.jpg"]
    assert "warning: shop.png is not read: a png that is cut short" in said.err


def test_proposals_and_the_heat_map(told, tmp_path):
    out = told(propose=True, picture=tmp_path / "map.png").out

    rules = yaml.safe_load(out[out.index("# Proposed") :])["routing"]["signals"]["embeddings"]
    assert [one["name"] for one in rules] == ["receipt", "chart"]
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_bad_labels_are_told_before_anything_is_asked(told, labels):
    labels.write_text(json.dumps({"groups": GROUPS, "pictures": {"none.png": "chart"}}))
    asked = inference()

    with pytest.raises(RouterError, match="there is no picture 'none.png'"):
        told(asked)

    assert asked.looked == []


def test_a_model_server_that_fails_ends_the_run(told):
    with pytest.raises(InferenceError, match="no server"):
        told(inference(failure=InferenceError("no server")))


@pytest.mark.parametrize(
    ("images", "said"),
    [("absent", "absent is no folder"), (".", "has no picture (png, jpg, jpeg, webp, gif)")],
    ids=["no folder", "no picture"],
)
def test_a_folder_that_is_of_no_use_is_one_line(tsr, tmp_path, labels, images, said):
    ended = tsr("probe-labels", "--images", tmp_path / images, "--labels", labels)

    assert (ended.code, len(ended.lines)) == (1, 1)
    assert said in ended.err


def test_an_unknown_group_has_its_line(tsr, images, tmp_path):
    path = tmp_path / "labels.yaml"
    path.write_text("groups:\n  receipt: [a receipt]\npictures:\n  till.jpg: reciept\n")

    ended = tsr("probe-labels", "--images", images, "--labels", path)

    assert ended.code == 1
    assert ended.lines == [
        f"{path}:4: error: pictures.till.jpg: unknown group 'reciept' (did you mean 'receipt'?)"
    ]


def test_a_repository_without_the_models_is_one_line(tsr, images, labels, tmp_path):
    config = tmp_path / "config.yaml"
    triton = {"model_repository": str(tmp_path)}
    config.write_text(json.dumps({"global": {"services": {"triton": triton}}, "routing": {}}))

    ended = tsr("probe-labels", "--images", images, "--labels", labels, "--config", config)

    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "has no image_signals and no image_text_embedding with goldens" in ended.err


def test_the_mean_of_a_group_is_another_score(told):
    means = json.loads(told(as_json=True, aggregation=probe_labels.Aggregation.MEAN).out)
    bests = json.loads(told(as_json=True).out)

    assert [one["summary"]["aggregation"] for one in (means, bests)] == ["mean", "max"]
    till = [one["images"][-1]["scores"]["receipt"] for one in (means, bests)]
    assert till[0] != till[1]


@pytest.mark.parametrize("word", ["any", "median"])
def test_an_unknown_aggregation_is_refused(tsr, images, labels, word):
    ended = tsr("probe-labels", "--images", images, "--labels", labels, "--aggregation", word)

    assert ended.code == 2
    assert "--aggregation" in ended.err


def test_a_share_is_no_percentage(tsr, images, labels):
    ended = tsr("probe-labels", "--images", images, "--labels", labels, "--most-inverted", "2")

    assert ended.code == 2
    assert "--most-inverted" in ended.err


def test_help_shows_what_the_labels_are(tsr):
    assert "groups: {receipt: [a receipt, a till slip], ...}" in tsr("probe-labels", "--help").out
