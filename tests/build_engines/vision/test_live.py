"""Parity against a real tritonserver that serves a tiny SigLIP right, and wrong in many ways.

The light default differs from it in the network alone; the faults are those of broken.py.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines import weights
from build_engines.live import pictures, subjects
from build_engines.live.server import Eyes, Server
from build_engines.live.texts import compare
from build_engines.vision import faults, publish, served
from orchestrator.inference.server import EmbeddedTriton
from tests.build_engines.vision.broken import FAULTS
from tests.build_engines.vision.broken_networks import damage
from tests.build_engines.vision.conftest import files_of, folder_of, placed

pytestmark = pytest.mark.triton

MODELS = {"preprocessing": "image_preprocess", "encoder": "vision_encoder"}


def called(fault):
    return f"wrong_{list(FAULTS).index(fault)}"


def broken(repository: Path, fault: str, job) -> None:
    """One of its models once more, with the fault, by another name."""
    name, scratch = MODELS[FAULTS[fault]], repository.parent / called(fault)
    shutil.copytree(repository / name, scratch / name)
    damage(scratch, fault, job, folder_of(job))
    for config in (scratch / name).rglob("*.pbtxt"):
        config.write_text(config.read_text().replace(f'name: "{name}"', f'name: "{called(fault)}"'))
    shutil.move(scratch / name, repository / called(fault))


@pytest.fixture(scope="module")
def job(siglip_one):
    for name in ("image_preprocess", "image_signals", "image_text_embedding"):
        (siglip_one.target.parent / name / "1").mkdir(parents=True, exist_ok=True)
    publish.run(siglip_one)
    return siglip_one


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(job, tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    repository = placed(job, folder / "models")
    for fault in FAULTS:
        broken(repository, fault, job)
    names = ["image_signals", "image_text_embedding", *map(called, FAULTS)]
    running = EmbeddedTriton(repository, names, state_dir=folder / "state", start_timeout_s=300)
    await running.start()
    asked = Server(running.url)
    yield asked
    asked.close()
    await running.stop()


@pytest.fixture(scope="module")
def reference(job):
    _, code = served.preprocessor(job)
    return faults.reference_of(job, weights.find(job.spec, job.root).folder, code)


async def test_what_is_served_right_differs_in_nothing(server, job, reference):
    files = files_of(job) | {"cut.png": files_of(job)["badge.png"][:99], "a.svg": b"<svg/>"}

    found = pictures.compare(Eyes(server), reference, files, job.spec.tolerance)

    assert found.differs == ()
    assert sorted(found.document["refused"]) == ["a.svg", "cut.png"]
    summary = found.document["summary"]
    assert summary["preprocess_only"]["min"] >= 0.9999999
    assert summary["forward_only"]["min"] >= 0.99999
    assert summary["end_to_end"]["min"] >= 0.9999


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_wrong_server_is_called_by_its_fault(server, job, reference, fault):
    part = FAULTS[fault]
    wrong = {"preprocessing": "preprocess", "encoder": "encoder"}[part]
    eyes = Eyes(server, whole=None, **{wrong: called(fault)})

    found = pictures.compare(eyes, reference, files_of(job), job.spec.tolerance)

    (said,) = found.differs
    assert said.startswith(f"{part}: {fault} (explains ")


async def test_the_text_tower_is_compared_too(server, job):
    read = subjects.labels(job)

    right = compare(server, "image_text_embedding", read)
    wrong = compare(server, "image_text_embedding", replace(read, embeddings=read.embeddings[::-1]))

    assert right.differs == ()
    assert wrong.differs[0].startswith("embedding, least cosine ")
