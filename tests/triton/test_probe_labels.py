"""`tsr probe-labels` as a process, over the real preprocessor and a toy encoder of colours."""

import json
import subprocess
import sys

import pytest
import pytest_asyncio
import yaml
from PIL import Image

from orchestrator.inference.server import EmbeddedTriton
from tests.model_repository.pictures import encoded
from tests.processes import ROOT
from tests.triton import toy_labels, toy_vision

pytestmark = pytest.mark.triton

# The toy sees six stripes: red above, red below, green above, and so on.
LABELS = {"red": ["2 2 0 0 0 0", "2 1 0 0 0 0"], "blue": ["0 0 0 0 2 2"]}
FILES = {
    "red/plain.png": encoded(Image.new("RGB", (40, 30), "red")),
    "red/warm.jpg": encoded(Image.new("RGB", (30, 300), "#e04010"), "JPEG"),
    "blue/sea.webp": encoded(Image.new("RGB", (64, 64), "#1020d0"), "WEBP"),
    "blue/cut.png": encoded(Image.new("RGB", (64, 64), "blue"))[:40],
    "other/grey.gif": encoded(Image.new("RGB", (64, 64), "grey"), "GIF"),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "models"
    return toy_labels.write(toy_vision.write(folder, {"a.png": FILES["red/plain.png"]}))


@pytest.fixture
def images(tmp_path):
    for name, content in FILES.items():
        (tmp_path / "pictures" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pictures" / name).write_bytes(content)
    return tmp_path / "pictures"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(repository, tmp_path_factory):
    names = ["image_signals", "image_text_embedding"]
    state = tmp_path_factory.mktemp("state")
    running = EmbeddedTriton(repository, names, state_dir=state, exit_timeout_s=1)
    await running.start()
    yield running.url
    await running.stop()


@pytest.fixture
def probe(tmp_path, repository, images):
    """Runs the command over these labels."""

    def run(labels, *arguments):
        (tmp_path / "labels.yaml").write_text(yaml.safe_dump(labels, sort_keys=False))
        triton = {"model_repository": str(repository)}
        policy = {"global": {"services": {"triton": triton}}, "routing": {}}
        (tmp_path / "config.yaml").write_text(json.dumps(policy))
        files = ("--images", images, "--labels", tmp_path / "labels.yaml")
        return subprocess.run(
            [sys.executable, "-m", "orchestrator", "probe-labels", *files]
            + ["--config", tmp_path / "config.yaml", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=240,
        )

    return run


def test_colours_are_told_apart_by_an_embedded_triton(probe, tmp_path):
    ended = probe(LABELS, "--json", "--heat-map", tmp_path / "map.png")

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["summary"]["judged"] == 3
    assert found["summary"]["inversion_rate"] == 0.0
    assert found["summary"]["margin"]["min"] > 0.5
    assert found["summary"]["others"] == 1
    assert found["thresholds"]["red"]["value"] == pytest.approx(0.79, abs=0.05)
    assert found["images"][-1]["known"] == pytest.approx(0.75)
    assert list(found["refused"]) == ["blue/cut.png"]
    assert "starting Triton with image_signals, image_text_embedding" in ended.stderr
    assert "blue/cut.png is not read: a png that" in ended.stderr
    assert (tmp_path / "map.png").stat().st_size > 0


def test_swapped_labels_are_inverted_in_a_running_triton(probe, server):
    swapped = {"red": LABELS["blue"], "blue": LABELS["red"]}

    ended = probe(swapped, "--propose", "--aggregation", "mean", "--triton-url", server)

    assert ended.returncode == 1, ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("error: 3 of 3 pictures are inverted (100.0%")
    assert "inversion rate 100.0%" in ended.stdout
    assert "by the mean of a group's texts" in ended.stdout
    assert "# red: none, its own reach down to" in ended.stdout
