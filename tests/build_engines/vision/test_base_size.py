"""A SigLIP of the real base size the whole way: checkpoint, export, parity, publish, Triton.

Its weights are random; sizes, memory and the file format's limits are those of the published one.
"""

import asyncio
import json
import shutil
from contextlib import closing

import numpy as np
import pytest
import pytest_asyncio
from safetensors import safe_open

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

import torch
import transformers

from build_engines import publish as publishing
from build_engines import receipt
from build_engines.kinds import job_of
from build_engines.live import subjects, texts
from build_engines.live.server import Server
from build_engines.vision import export, faults, parity, publish, served, siglip
from build_engines.vision.isolation import FORWARD, Side, diagnose, isolate
from build_engines.vision.job import VisionJob
from orchestrator.inference.picture_goldens import load_floor
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.build_engines.vision import base_size
from tests.build_engines.vision.broken_networks import mean_pooled
from tests.build_engines.vision.conftest import KINDS, placed, tokenizer_of

pytestmark = pytest.mark.triton

PICTURES = ("badge.png", "card.jpg", "panorama.webp")  # alpha; a document; shrunk by much
PROMPTS = ("", "a photo of an identity card", "receipt")


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Exported, compared and published in a folder of its own, which is removed afterwards."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("base")
    found = base_size.write(folder / "checkpoint", tokenizer_of(KINDS["siglip"]))
    committed = job_of("siglip_base")
    (folder / "pictures").mkdir()
    for name in PICTURES:
        shutil.copy(committed.pictures / name, folder / "pictures")
    (folder / "prompts.json").write_text(json.dumps([{"name": p, "text": p} for p in PROMPTS]))
    made = VisionJob(
        spec=base_size.spec_of(found),
        root=folder,
        build=folder / "build",
        code=committed.code,
        target=folder / "models" / "vision_encoder",
        pictures=folder / "pictures",
        prompts=folder / "prompts.json",
    )
    for name in ("image_preprocess", "image_signals", "image_text_embedding"):
        (made.target.parent / name / "1").mkdir(parents=True)
    for step in (export, parity, publish):
        step.run(made)
    yield made
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def files(job):
    return {path.name: path.read_bytes() for path in job.shown()}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(job):
    repository = placed(job, job.root / "served")
    names = [IMAGE_SIGNALS, IMAGE_TEXT]
    running = EmbeddedTriton(repository, names, state_dir=job.root / "state", start_timeout_s=300)
    await running.start()
    yield running
    await running.stop()


def test_the_checkpoint_has_the_published_sizes(job):
    """203,155,970 parameters, as the hub says of google/siglip-base-patch16-224."""
    with safe_open(job.root / "checkpoint" / "model.safetensors", "pt") as tensors:
        shapes = {name: tensors.get_slice(name).get_shape() for name in tensors.keys()}

    assert sum(np.prod(shape, dtype=int) for shape in shapes.values()) == 203_155_970
    assert shapes["vision_model.head.attention.in_proj_weight"] == [2304, 768]
    assert shapes["vision_model.head.probe"] == [1, 1, 768]
    assert shapes["text_model.embeddings.token_embedding.weight"] == [32_000, 768]
    assert shapes["text_model.embeddings.position_embedding.weight"] == [64, 768]


def test_what_is_built_is_the_reference(job):
    figures = receipt.require("parity", job).figures

    assert min(figures["least_cosine"].values()) >= 0.99999
    assert min(figures["least_cosine_of_prompts"].values()) >= 0.99999
    publishing.verify(job)


def test_both_towers_are_whole_in_their_files(job):
    """Four bytes a weight, and the graphs around them."""
    sizes = [(job.build / name).stat().st_size for name in ("model.onnx", "text.onnx")]

    assert sum(sizes) == pytest.approx(4 * 203_155_970, abs=2_000_000)
    assert max(sizes) < 2**31, "what a protobuf file may hold"


def test_random_weights_tell_pictures_and_texts_apart(job):
    """Or parity could not fail."""
    for name in ("goldens.json", "text_goldens.json"):
        embeddings = np.asarray(json.loads((job.build / name).read_text())["embeddings"])
        assert embeddings.shape == (3, 768)
        others = (embeddings @ embeddings.T)[np.triu_indices(3, 1)]
        assert others.max() < 0.99
        assert others.min() < 0.9


WIDE = {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27}
WIDE |= {"num_attention_heads": 16}


@pytest.mark.parametrize(
    ("vision", "text"),
    [
        pytest.param({}, {"vocab_size": 256_000}, id="siglip2-base-patch16-224"),
        pytest.param(
            WIDE | {"image_size": 384, "patch_size": 14},
            WIDE | {"projection_size": 1152},
            id="siglip-so400m-patch14-384",
        ),
    ],
)
def test_towers_of_the_other_checkpoints_fit_into_a_file_too(vision, text):
    """In float32. They are counted, not built."""
    text = base_size.TEXT | text
    config = transformers.SiglipConfig(vision_config=vision, text_config=text)
    with torch.device("meta"):
        model = transformers.SiglipModel(config)
    towers = (model.vision_model, model.text_model)

    assert max(4 * sum(one.numel() for one in tower.parameters()) for tower in towers) < 1.9e9


def test_mean_pooling_is_caught_and_named(job, files):
    ours, code = served.preprocessor(job)
    reference = faults.reference_of(job, job.root / "checkpoint", code)
    pixels = np.stack([ours(one) for one in files.values()])
    pooled = mean_pooled(siglip.load(job.spec, job.root / "checkpoint"))(pixels)
    found = isolate(files, reference, Side(ours, lambda _: pooled))

    findings = diagnose(found, files, reference, job.spec.tolerance.export)

    assert [(one.part, one.fault) for one in findings] == [("encoder", "mean pooling")]
    assert found.vectors[FORWARD].cosines.max() < 0.9


async def test_the_live_server_is_the_reference(job, files, server):
    subject = subjects.seeing(job)

    found = await asyncio.to_thread(subject.compare, server.url, files, lambda _: None)

    assert found.differs == ()
    summary = found.document["summary"]
    assert summary["preprocess_only"]["min"] >= 0.9999999
    assert summary["forward_only"]["min"] >= 0.99999
    assert summary["end_to_end"]["min"] >= 0.9999
    assert summary["end_to_end"]["known_max_abs"] == 0.0


async def test_labels_are_read_as_by_the_reference(job, server):
    with closing(Server(server.url)) as asked:
        found = await asyncio.to_thread(texts.compare, asked, IMAGE_TEXT, subjects.labels(job))

    assert found.differs == ()
    assert found.document["summary"]["forward_only"]["min"] >= 0.99999


async def test_the_router_trusts_what_is_served(job, server):
    repository = job.root / "served"
    floors = {IMAGE_SIGNALS: load_floor(repository, IMAGE_SIGNALS)}
    inference = TritonInference([server.url], timeout_s=60.0, floors=floors)
    trusted = TrustedInference(inference, repository, [IMAGE_SIGNALS, IMAGE_TEXT])

    found = await trusted.check()

    await trusted.stop()
    await inference.close()
    assert [(one.trusted, one.reason) for one in found] == [(True, "")] * 2
    assert found[0].parity.min_cosine >= 0.9999
