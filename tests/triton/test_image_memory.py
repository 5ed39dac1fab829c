"""What large pictures cost in memory, by the kernel's own counters, in the published ensemble.

An instance of the preprocessor decodes one picture after another, however many wait for it.
"""

import numpy as np
import pytest
import pytest_asyncio
from PIL import Image

from orchestrator.inference.budget import MOST_BYTES
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.triton import TritonInference
from tests.model_repository.pictures import encoded, png
from tests.triton import memory

pytestmark = [
    pytest.mark.triton,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(
        not (default_repository() / "vision_encoder" / "1" / "model.onnx").is_file(),
        reason="no image encoder is published",
    ),
]

PIXEL = 4  # bytes that Pillow takes for one, whatever its mode has
# Of the picture that is decoded: itself and what is made of it, turned or on white, or else what
# the decoder of a progressive jpeg remembers, at most 6 bytes a pixel.
LAYERS = 2.5
BATCH = 4  # max_batch_size of image_preprocess: files and pixels that an instance holds
PIXELS = 3 * 224 * 224 * 4
SLACK = 24_000_000  # of allocators


def large(width, height, seed):
    """Smooth, with some grain: a photograph, as far as size and time to decode go."""
    draw = np.random.default_rng(seed)
    small = draw.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    picture = Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)
    grain = draw.normal(0, 3, (256, 256, 1))
    levels = np.asarray(picture, np.float32) + np.tile(
        grain, (height // 256 + 1, width // 256 + 1, 1)
    )[:height, :width].astype(np.float32)
    return Image.fromarray(levels.clip(0, 255).astype(np.uint8))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory):
    state = tmp_path_factory.mktemp("image memory")
    running = EmbeddedTriton(
        default_repository(), [IMAGE_SIGNALS], state_dir=state, exit_timeout_s=1
    )
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
def asked(server):
    """Asks for pictures, and says by how much the peaks are above what was resident before."""

    async def ask(files):
        before = memory.processes(server)
        for pid in before.values():
            memory.forget_peak(pid)
        rest = {name: memory.peak(pid) for name, pid in before.items()}
        inference = TritonInference([server.url], timeout_s=60.0)
        try:
            seen = await inference.see(IMAGE_SIGNALS, files)
        finally:
            await inference.close()
        assert memory.processes(server) == before
        above = {name: memory.peak(pid) - rest[name] for name, pid in before.items()}
        print({name: f"{size / 1e6:.0f} MB" for name, size in above.items()})
        return seen, above

    return ask


def photographs(size):
    picture = large(*size, seed=1)
    turned = Image.Exif()
    turned[0x0112] = 6
    return [
        encoded(picture, "JPEG", quality=90, exif=turned),
        encoded(picture, "JPEG", quality=90, progressive=True),
    ]


def bombs(size):
    """Small files, as large as a picture may be, with a palette that is half clear."""
    width, height = size
    rows = (b"\0" + bytes(width)) * height
    return [png(size, 8, 3, rows, (b"PLTE", b"\xff\0\0"), (b"tRNS", b"\x80"))]


@pytest.mark.parametrize(
    ("make", "size", "count"),
    [
        pytest.param(photographs, (4_000, 3_000), 1, id="one of 12 megapixels"),
        pytest.param(photographs, (3_000, 2_000), 32, id="a burst of 32 of 6 megapixels"),
        pytest.param(bombs, (6_324, 6_324), 6, id="six of as many pixels as are read"),
    ],
)
async def test_peaks_are_those_of_one_picture(server, asked, make, size, count):
    kinds = make(size)
    files = [kinds[at % len(kinds)] for at in range(count)]
    print(f"files of {len(kinds[0]) / 1e6:.1f} MB")

    seen, above = await asked(files)

    np.testing.assert_allclose(np.linalg.norm(seen.embeddings, axis=1), 1, atol=1e-4)
    for at, embedding in enumerate(seen.embeddings):
        np.testing.assert_allclose(embedding, seen.embeddings[at % len(kinds)], atol=1e-5)
    decoding = LAYERS * PIXEL * size[0] * size[1]
    held = BATCH * (3 * len(kinds[0]) + PIXELS)  # in shared memory, as an object, as a stream
    shared = memory.shared(server)
    print(f"shared memory {shared / 1e6:.0f} MB")
    for name in above:
        if name.startswith("image_preprocess"):
            assert above[name] <= decoding + held + SLACK, name
    # The server has what is on its way as message and as tensor, and not yet freed what was.
    assert above["server"] <= shared + 4 * MOST_BYTES + SLACK
    assert shared <= 2 * MOST_BYTES + 4_000_000
