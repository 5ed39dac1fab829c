"""`tsr evaluate` with an embedded Triton, a process of its own."""

import json
import subprocess
import sys

import pytest

from orchestrator.inference.questions import TEXT_SIGNALS
from tests.processes import ROOT
from tests.triton import toy_classifier

pytestmark = pytest.mark.triton

LINES = [
    {"text": "lull", "task": "mood", "label": "glad"},
    {"text": "as", "task": "mood", "label": "glad"},
    {"text": "ssss", "task": "mood", "label": "sad"},
    {"text": "call 5550123, 7", "task": "numbers", "spans": [[5, 12, "LONG"]]},
]


@pytest.fixture
def config(tmp_path):
    """A policy whose model repository has the toy in place of the published classifier."""
    written = toy_classifier.write(tmp_path / "written")
    folder = (written / "signals").rename(written / TEXT_SIGNALS)
    described = (folder / "config.pbtxt").read_text()
    (folder / "config.pbtxt").write_text(described.replace('"signals"', f'"{TEXT_SIGNALS}"'))
    labels = json.loads((folder / "labels.json").read_text())
    labels["mood"]["positive"] = ["sad"]
    (folder / "labels.json").write_text(json.dumps(labels))
    path = tmp_path / "config.yaml"
    triton = {"model_repository": str(written)}
    path.write_text(json.dumps({"global": {"services": {"triton": triton}}, "routing": {}}))
    return path


def test_labelled_texts_are_asked_of_the_live_model(tmp_path, config):
    file = tmp_path / "test.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)))
    command = ("-m", "orchestrator", "evaluate", file, "--config", config, "--json")

    ended = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=120
    )

    assert ended.returncode == 0, ended.stderr
    mood, numbers = json.loads(ended.stdout)["tasks"]
    assert mood["classes"]["confusion"] == [[2, 0], [0, 1]]
    assert mood["guard"]["auc"] == 1.0
    assert mood["guard"]["points"][0]["threshold"] == 0.5
    assert mood["guard"]["flips"] == {"threshold": pytest.approx(0.5), "detected": 1, "rate": 1.0}
    assert mood["latency"]["p50_ms"] > 0
    assert numbers["entities"]["alone"]["overall"] == {
        "precision": 0.5,
        "recall": 1.0,
        "f1": pytest.approx(2 / 3),
        "support": 1,
    }
    assert "starting Triton with text_signals" in ended.stderr
