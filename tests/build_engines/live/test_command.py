"""`tsr parity` of what is published, as a process, with a Triton of its own."""

import json
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

from tests.build_engines.vision.broken import BREAKS
from tests.processes import ROOT

pytestmark = pytest.mark.triton
PUBLISHED = ROOT / "model_repository"
SEEN = (PUBLISHED / "vision_encoder" / "receipt.json").is_file()
FILES = ("--images", ROOT / "tests" / "pictures")


@pytest.fixture
def parity(tmp_path):
    """Runs it over a copy of the repository that `broken` damages."""

    def run(*arguments, broken=None):
        repository = tmp_path / "models"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PUBLISHED, repository, symlinks=True, ignore=ignored)
        if broken is not None:
            BREAKS[broken](repository)
        triton = {"model_repository": str(repository)}
        config = tmp_path / "config.yaml"
        config.write_text(json.dumps({"global": {"services": {"triton": triton}}, "routing": {}}))
        command = [sys.executable, "-m", "orchestrator", "parity", *arguments, "--json"]
        return subprocess.run(
            [*command, "--config", config], cwd=ROOT, capture_output=True, text=True, timeout=900
        )

    return run


def test_texts_agree(parity, tmp_path):
    ended = parity("text_embedding", "--picture", tmp_path / "chart.png")

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["summary"]["forward_only"]["min"] >= 0.99999
    assert len(found["texts"]) > 40
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(not SEEN, reason="no image encoder is published: make engines")
def test_pictures_agree(parity):
    ended = parity("vision_encoder", *FILES)

    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)["summary"]
    assert summary["preprocess_only"]["min"] >= 0.99999
    assert summary["forward_only"]["min"] >= 0.99999
    assert summary["end_to_end"]["min"] >= 0.9999


@pytest.mark.skipif(not SEEN, reason="no image encoder is published: make engines")
@pytest.mark.parametrize(
    ("fault", "said"),
    [("BGR", "preprocessing: BGR ("), ("fp16 overflow", "encoder: fp16 overflow (")],
)
def test_a_fault_is_named(parity, fault, said):
    ended = parity("vision_encoder", *FILES, broken=fault)

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(
        f"error: vision_encoder differs from its reference: {said}"
    )
    assert json.loads(ended.stdout)["differs"][0].startswith(said)
