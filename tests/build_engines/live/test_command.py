"""`tsr parity` of what is published, as a process, with a Triton of its own."""

import json
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

from tests.build_engines.vision.broken import BREAKS
from tests.processes import ROOT, free_ports

pytestmark = pytest.mark.triton
PUBLISHED = ROOT / "model_repository"
GOLDENS = PUBLISHED / "image_signals" / "pictures"
VECTORS = ("end_to_end", "forward_only", "preprocess_only")
FILES = ("--images", ROOT / "tests" / "pictures")


def unsure(repository):
    """Embeddings are right, and what the encoder says of its own sureness is not."""
    path = repository / "vision_encoder" / "1" / "encoder.py"
    code, kept = path.read_text(), "return embeddings, known"
    assert code.count(kept) == 1
    path.write_text(code.replace(kept, f"{kept} * np.float32(0.9)"))


BROKEN = BREAKS | {"sureness": unsure}


@pytest.fixture
def parity(tmp_path):
    """Runs it over a copy of the repository that `broken` damages."""

    def run(*arguments, broken=None, form=("--json",)):
        repository = tmp_path / "models"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PUBLISHED, repository, symlinks=True, ignore=ignored)
        if broken is not None:
            BROKEN[broken](repository)
        triton = {"model_repository": str(repository)}
        config = tmp_path / "config.yaml"
        config.write_text(json.dumps({"global": {"services": {"triton": triton}}, "routing": {}}))
        command = [sys.executable, "-m", "orchestrator", "parity", *arguments, *form]
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


def test_pictures_agree(parity):
    ended = parity("vision_encoder", *FILES)

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    summary = found["summary"]
    assert summary["preprocess_only"]["min"] >= 0.99999
    assert summary["forward_only"]["min"] >= 0.99999
    assert summary["end_to_end"]["min"] >= 0.9999
    assert summary["end_to_end"]["known_max_abs"] <= 0.01
    figures = {"min", "mean", "max", "max_abs", "known_max_abs"}
    assert {vector: set(one) for vector, one in summary.items()} == dict.fromkeys(VECTORS, figures)
    assert len(found["images"]) >= 40
    of_one = {"cosine", "max_abs", "known_max_abs"}
    assert all(row[vector].keys() == of_one for row in found["images"] for vector in VECTORS)
    assert (found["differs"], found["refused"]) == ([], {})


def test_the_ensemble_is_compared_on_its_goldens_and_drawn(parity, tmp_path):
    ended = parity("image_signals", "--picture", tmp_path / "chart.png", form=())

    assert ended.returncode == 0, ended.stderr
    head, *rows = [line.split() for line in ended.stdout.splitlines() if line]
    assert head == list(VECTORS)
    assert [row[0] for row in rows[:5]] == ["min", "mean", "max", "max_abs", "known_max_abs"]
    assert float(rows[0][1]) >= 0.9999
    assert {row[0] for row in rows[6:]} == {path.name for path in GOLDENS.iterdir()} - {"README.md"}
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_no_server_is_one_line(parity):
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"

    ended = parity("vision_encoder", *FILES, "--triton-url", address)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[-1].startswith(f"error: {address}: image_preprocess: ")
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        pytest.param(("visionencoder",), 1, "has no visionencoder; it has: image_pre", id="name"),
        pytest.param(("image_preprocess",), 1, "compare vision_encoder", id="no weights"),
        pytest.param(("text_embedding", *FILES), 2, "text_embedding reads texts", id="texts"),
    ],
)
def test_what_cannot_be_compared_is_told(parity, arguments, status, said):
    ended = parity(*arguments)

    assert ended.returncode == status
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("BGR", "preprocessing: BGR ("),
        ("fp16 overflow", "encoder: fp16 overflow ("),
        ("sureness", "encoder: KNOWN is off by 0."),
    ],
)
def test_a_fault_is_named(parity, fault, said):
    ended = parity("vision_encoder", *FILES, broken=fault)

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(
        f"error: vision_encoder differs from its reference: {said}"
    )
    assert json.loads(ended.stdout)["differs"][0].startswith(said)
