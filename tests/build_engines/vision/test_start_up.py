"""A router over a server that is wrong in a known way: its pictures are unknown, and it answers."""

import asyncio
import base64
import json
import shutil

import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")
pytest.importorskip("efficientnet_lite_pytorch")

from build_engines.vision import publish
from orchestrator.app.model_plane import model_plane
from orchestrator.config.services import Triton
from orchestrator.errors import ModelUntrusted
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.telemetry import Telemetry
from tests.build_engines.vision.broken import FAULTS
from tests.build_engines.vision.broken_networks import damage
from tests.build_engines.vision.conftest import files_of, folder_of, placed
from tests.processes import LIMIT_S, demo_upstream, free_ports, router

pytestmark = pytest.mark.triton

OTHER = {"preprocessing": "the encoder", "encoder": "preprocessing"}


def said(fault):
    """What the reason begins with."""
    if fault == "fp16 overflow":
        return "its goldens failed: image_signals: EMBEDDING is not finite"
    return {"preprocessing": "preprocessing differs: ", "encoder": "the encoder differs: "}[
        FAULTS[fault]
    ]


@pytest.fixture(scope="module")
def repository(siglip_one, tmp_path_factory):
    """What a tiny SigLIP has published, with the code that serves it."""
    for name in ("image_preprocess", "image_signals", "image_text_embedding"):
        (siglip_one.target.parent / name / "1").mkdir(parents=True, exist_ok=True)
    publish.run(siglip_one)
    return placed(siglip_one, tmp_path_factory.mktemp("published") / "models")


@pytest.fixture
def damaged(repository, siglip_one, tmp_path):
    """A copy with a fault; None: as it should be."""

    def copy(fault):
        folder = tmp_path / "models"
        shutil.copytree(repository, folder, ignore=shutil.ignore_patterns("__pycache__"))
        if fault is not None:
            damage(folder, fault, siglip_one, folder_of(siglip_one))
        return folder

    return copy


@pytest.mark.parametrize("fault", [None, *FAULTS], ids=str)
async def test_what_differs_is_not_trusted_and_its_part_is_told(damaged, siglip_one, fault):
    settings = Triton(model_repository=str(damaged(fault)), deadline=10.0)
    picture = next(iter(files_of(siglip_one).values()))
    asked = [IMAGE_SIGNALS, IMAGE_TEXT]
    async with model_plane(settings, asked, [], Telemetry()) as plane:
        await asyncio.wait_for(plane.looked(), LIMIT_S)
        found = {one.model: one for one in plane.status().models}
        seeing = plane.inference.see(IMAGE_SIGNALS, [picture])
        (seen,) = await asyncio.gather(seeing, return_exceptions=True)

    assert found[IMAGE_TEXT].trusted, "no fault of pictures touches the labels"
    if fault is None:
        assert (found[IMAGE_SIGNALS].reason, len(seen.embeddings)) == ("", 1)
        return
    assert isinstance(seen, ModelUntrusted)
    assert found[IMAGE_SIGNALS].reason.startswith(said(fault))
    assert OTHER[FAULTS[fault]] not in found[IMAGE_SIGNALS].reason


def policy(repository, upstream):
    rules = [
        {
            "name": "receipt",
            "query_modality": "image",
            "threshold": 0.5,
            "candidates": ["receipt"],
        }
    ]
    words = [{"name": "loud", "operator": "OR", "keywords": ["urgent"]}]
    chosen = {"modelRefs": [{"model": "small"}]}
    score = {"type": "embedding", "name": "receipt", "predicate": {"gte": -1}}
    shown = {"name": "shown", "priority": 3, "rules": score}
    said = {"name": "said", "priority": 2, "rules": {"type": "keyword", "name": "loud"}}
    backend = {"name": "small", "backend_refs": [{"endpoint": f"127.0.0.1:{upstream}"}]}
    document = {
        "version": "v0.3",
        "providers": {"defaults": {"default_model": "small"}, "models": [backend]},
        "routing": {
            "modelCards": [{"name": "small"}],
            "signals": {"embeddings": rules, "keywords": words},
            "decisions": [one | chosen for one in (shown, said)],
        },
        "global": {"services": {"triton": {"model_repository": str(repository)}}},
    }
    return json.dumps(document)


async def until_checked(running):
    """Every model was compared once, whatever came out."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            _, said = await running.ready()
            reasons = [one["reason"] for one in said["models"]]
            if reasons and "not checked yet" not in reasons:
                return
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("fault", "decision", "unknown"),
    [
        pytest.param(None, "shown", None, id="right"),
        pytest.param("BGR", "said", "embedding", id="BGR"),
        pytest.param("mean pooling", "said", "embedding", id="mean pooling"),
    ],
)
async def test_the_router_answers_without_what_it_does_not_trust(
    damaged, siglip_one, tmp_path, fault, decision, unknown
):
    """Any picture that is seen has a score; and whatever is shown, the text is urgent."""
    data = base64.b64encode(files_of(siglip_one)["card.jpg"]).decode()
    parts = [
        {"type": "text", "text": "urgent"},
        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}},
    ]
    (upstream,) = free_ports(1)
    text = policy(damaged(fault), upstream)
    async with demo_upstream(upstream), router(text, tmp_path) as running:
        await running.until_serving()
        await until_checked(running)
        async with running.chat(parts) as answer:
            assert answer.status == 200, await answer.text()
            headers = answer.headers

    assert headers["x-vsr-selected-decision"] == decision
    assert headers.get("x-tsr-signals-unknown") == unknown
