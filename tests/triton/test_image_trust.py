"""Pictures through the router's client and a real tritonserver: trust, faults, bounded memory."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from orchestrator.app.model_plane import model_plane
from orchestrator.config.services import Triton
from orchestrator.errors import ImageRefused, ModelUntrusted
from orchestrator.inference.budget import MOST_BYTES
from orchestrator.inference.picture_goldens import load_floor
from orchestrator.inference.questions import IMAGE_SIGNALS, IMAGE_TEXT
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.stubs import stubs
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from orchestrator.telemetry import Telemetry
from tests.model_repository.pictures import encoded, painted
from tests.triton import toy, toy_vision

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

LIMIT_S = 120.0
PICTURES = {
    "small.png": encoded(painted(40, 30, "RGBA")),
    "photo.jpg": encoded(painted(640, 480, seed=1), "JPEG"),
    "tall.webp": encoded(painted(31, 400, seed=2), "WEBP"),
    "square.gif": encoded(painted(224, 224, seed=3), "GIF"),
    "grey.png": encoded(painted(225, 223, "L", seed=4)),
}


@contextlib.asynccontextmanager
async def running(repository, folder):
    server = EmbeddedTriton(repository, [IMAGE_SIGNALS], state_dir=folder, exit_timeout_s=1)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@contextlib.asynccontextmanager
async def judging(server, repository, **options):
    """By the goldens of `repository`."""
    inference = TritonInference(
        [server.url], timeout_s=30.0, floors={IMAGE_SIGNALS: load_floor(repository, IMAGE_SIGNALS)}
    )
    trusted = TrustedInference(inference, repository, [IMAGE_SIGNALS], **options)
    try:
        yield trusted
    finally:
        await trusted.stop()
        await inference.close()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return toy_vision.write(tmp_path_factory.mktemp("toy vision") / "models", PICTURES)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(repository, tmp_path_factory):
    """For those who leave its processes alone."""
    async with running(repository, tmp_path_factory.mktemp("state")) as server:
        yield server


def memory(server):
    """Bytes of the server's shared memory."""
    files = Path("/dev/shm").glob(f"{server.shm_prefix}*")
    return sum(one.stat().st_blocks * 512 for one in files)


async def test_the_ensemble_is_loaded_with_its_steps_trusted_and_asked(server, repository):
    other = encoded(painted(100, 80, seed=9))
    async with judging(server, repository) as trusted:
        [trust] = await trusted.check()
        bad = (b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", PICTURES["photo.jpg"][:900])
        seen, *refused = await asyncio.gather(
            trusted.see(IMAGE_SIGNALS, [other, *PICTURES.values()]),
            *(trusted.see(IMAGE_SIGNALS, [one]) for one in bad),
            return_exceptions=True,
        )
        [again] = await trusted.check()

    assert (trust.trusted, trust.reason, trust.version, trust.device) == (True, "", "1", "cpu")
    assert (trust.parity.count, trust.parity.min_cosine) == (5, pytest.approx(1, abs=1e-6))
    wanted = [toy_vision.vector(toy_vision.pixels(one)) for one in (other, *PICTURES.values())]
    np.testing.assert_allclose(seen.embeddings, wanted, atol=1e-6)
    assert (seen.known.tolist(), seen.floor) == ([0.75] * 6, 0.25)
    assert [type(one) for one in refused] == [ImageRefused] * 3
    assert str(refused[0]) == "empty"
    assert str(refused[1]).startswith("SVG, which is not read")
    assert again.trusted, "refusals are no faults"


@pytest.mark.parametrize(
    ("sign", "resample", "said", "unsaid"),
    [
        pytest.param(-1, "bicubic", "the encoder differs", "preprocessing", id="encoder"),
        pytest.param(1, "bilinear", "preprocessing differs", "the encoder", id="preprocessing"),
        pytest.param(-1, "bilinear", "differs: .*; the encoder differs", "5 of 5", id="both"),
    ],
)
async def test_what_differs_is_told_apart(server, tmp_path, sign, resample, said, unsaid):
    """The reference is another model than the one that is served, which is all that shows."""
    plain = {"white.png": encoded(painted(1, 1))}  # the same by every filter
    models = tmp_path / "models"
    other = toy_vision.write(models, PICTURES | plain, sign=sign, resample=resample)
    async with judging(server, other) as trusted:
        await trusted.check()
        with pytest.raises(ModelUntrusted, match=said) as caught:
            await trusted.see(IMAGE_SIGNALS, [PICTURES["small.png"]])

    assert unsaid not in str(caught.value)


@pytest.mark.parametrize("step", ["image_preprocess", "vision_encoder"])
async def test_a_dead_process_of_a_step_is_found_and_replaced(repository, tmp_path, step):
    lost, healed = asyncio.Event(), asyncio.Event()

    def found(trust):
        if lost.is_set() and trust.trusted:
            healed.set()
        if "has died" in trust.reason:
            lost.set()

    options = {"interval_s": 0.5, "on_finding": found}
    async with (
        running(repository, tmp_path / "state") as server,
        judging(server, repository, **options) as trusted,
    ):
        trusted.start()
        await asyncio.wait_for(trusted.looked(), LIMIT_S)
        assert trusted.proved
        first = [one for one in stubs(server.shm_prefix) if step in one.model]
        os.kill(first[-1].pid, signal.SIGKILL)
        await asyncio.wait_for(healed.wait(), LIMIT_S)
        for _ in range(8):
            await trusted.see(IMAGE_SIGNALS, [PICTURES["small.png"]])
        now = {one.pid for one in stubs(server.shm_prefix) if step in one.model}

    assert len(now - {one.pid for one in first}) == len(first)


async def test_a_burst_of_large_pictures_has_bounded_memory(server, repository):
    small = PICTURES["photo.jpg"]
    # Comments make it large, and yet quick to decode.
    comment = b"\xff\xfe\xff\xff" + bytes(65_533)
    large = small[:2] + comment * (MOST_BYTES // 4 // len(comment)) + small[2:]
    async with judging(server, repository) as trusted:
        await trusted.check()
        before = memory(server)
        asked = [large[:-2] + bytes([number]) + large[-2:] for number in range(32)]
        seen = await trusted.see(IMAGE_SIGNALS, asked)
        grown = memory(server) - before
        [trust] = await trusted.check()

    wanted = toy_vision.vector(toy_vision.pixels(small))
    np.testing.assert_allclose(seen.embeddings, [wanted] * 32, atol=1e-6)
    assert trust.trusted
    # In each of two instances what may be on its way, whatever waits; and some for pixels.
    assert grown <= 2 * MOST_BYTES + 4_000_000


@pytest.mark.parametrize(
    "texts", [pytest.param(["toy"], id="beside texts"), pytest.param([], id="alone")]
)
async def test_a_repository_without_image_models_starts_and_says_so(tmp_path, texts):
    settings = Triton(model_repository=str(toy.write(tmp_path / "models")), deadline=10.0)
    asked = [*texts, IMAGE_SIGNALS, IMAGE_TEXT]
    async with model_plane(settings, asked, [], Telemetry()) as plane:
        await asyncio.wait_for(plane.looked(), LIMIT_S)
        status = plane.status()
        with pytest.raises(ModelUntrusted, match="no golden answers"):
            await plane.inference.see(IMAGE_SIGNALS, [PICTURES["small.png"]])
        for model in texts:
            assert (await plane.inference.embed(model, ["hi"])).shape == (1, 8)

    assert [server.ready for server in status.triton] == [True]
    assert [one.model for one in status.models if not one.trusted] == [IMAGE_SIGNALS, IMAGE_TEXT]
    assert f"{IMAGE_TEXT}: no golden answers" in status.message
