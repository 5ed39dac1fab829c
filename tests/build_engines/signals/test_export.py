import json
import shutil
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

import onnx

from build_engines import receipt
from build_engines.errors import SpecError, StaleError, WeightsError
from build_engines.signals import export
from build_engines.signals.job import Labels
from tests.build_engines.signals.conftest import TASKS


def test_the_step_leaves_branches_labels_and_a_receipt(job):
    line = export.run(job)

    labels = json.loads((job.build / "labels.json").read_text())
    part = onnx.load_from_string((job.build / "branches.onnx").read_bytes())
    kept = json.loads((job.build / "export.json").read_text())
    assert line.startswith("toy: 5 tasks exported, ")
    assert list(labels) == list(TASKS)
    assert labels["mood"] == {
        "kind": "sequence",
        "labels": ["glad", "sad"],
        "over_windows": "max",
        "positive": ["sad"],
        "temperature": 1.5,
    }
    assert [one.name for one in part.graph.input] == [f"ask_{name}" for name in TASKS]
    assert kept["figures"]["first_own_layer"] == {
        "mood": 2,
        "topic": 2,
        "place": 2,
        "name": 0,
        "voice": 0,
    }
    assert sorted(kept["outputs"]) == ["build/branches.onnx", "build/labels.json"]
    assert "trunk/1/model.onnx" in kept["inputs"]
    assert "adapters/mood/adapter_model.safetensors" in kept["inputs"]


def test_languages_travel_with_the_task_that_states_them(job):
    stated = Labels.read(job.adapters / "topic")
    replace(stated, languages=("de", "en")).write(job.adapters / "topic")

    export.run(job)

    labels = json.loads((job.build / "labels.json").read_text())
    assert {name: one["languages"] for name, one in labels.items() if "languages" in one} == {
        "topic": ["de", "en"]
    }


def test_the_same_adapters_give_the_same_bytes(job, tmp_path):
    export.run(job)
    other = replace(job, build=tmp_path / "other")

    export.run(other)

    for name in ("branches.onnx", "labels.json"):
        assert (other.build / name).read_bytes() == (job.build / name).read_bytes()


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        pytest.param(
            lambda job: shutil.rmtree(job.adapters / "topic"),
            WeightsError,
            "no adapter of topic; run: make train",
            id="no adapter",
        ),
        pytest.param(
            lambda job: Labels(("sad", "glad"), 1).write(job.adapters / "mood"),
            WeightsError,
            "mood: trained for .*sad.*glad.*, the data has .*glad.*sad",
            id="labels in another order than the data's",
        ),
        pytest.param(
            lambda job: shutil.copy(
                job.adapters / "topic" / "adapter_model.safetensors", job.adapters / "mood"
            ),
            WeightsError,
            "mood: 3 classes for 2 labels",
            id="a head of other classes",
        ),
        pytest.param(
            lambda job: (job.adapters / "name" / "labels.json").unlink(),
            SpecError,
            "name/labels.json",
            id="no labels",
        ),
        pytest.param(
            lambda job: (job.adapters / "name" / "labels.json").write_text('{"labels": ["NAME"]}'),
            SpecError,
            "name/labels.json: 'temperature'",
            id="no temperature",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(job, spoil, error, message):
    spoil(job)

    with pytest.raises(error, match=message):
        export.run(job)

    assert not (job.build / "branches.onnx").exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(
            lambda job: Labels(("glad", "sad"), 2).write(job.adapters / "mood"),
            "adapters/mood/labels.json has changed since export",
            id="another temperature",
        ),
        pytest.param(
            lambda job: (job.trunk / "1" / "model.onnx").write_bytes(b"other"),
            "trunk/1/model.onnx has changed since export",
            id="another trunk",
        ),
        pytest.param(
            lambda job: (job.build / "branches.onnx").unlink(),
            "build/branches.onnx is gone since export",
            id="branches removed",
        ),
    ],
)
def test_a_receipt_refuses_stale_files(job, spoil, message):
    export.run(job)
    spoil(job)

    with pytest.raises(StaleError, match=f"{message}; run: python -m build_engines export toy"):
        receipt.require("export", job)


def test_how_a_task_is_trained_makes_no_build_stale(job):
    export.run(job)
    mood = job.spec.tasks["mood"]
    trained = mood.model_copy(update={"training": mood.training.model_copy(update={"epochs": 1})})
    other = mood.model_copy(update={"over_windows": "mean"})

    def changed(task):
        return replace(
            job, spec=job.spec.model_copy(update={"tasks": job.spec.tasks | {"mood": task}})
        )

    assert receipt.require("export", changed(trained)).step == "export"
    with pytest.raises(StaleError, match="the spec has changed since export"):
        receipt.require("export", changed(other))
