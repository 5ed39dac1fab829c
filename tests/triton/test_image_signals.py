"""Encoded pictures to embeddings in a real tritonserver: batches, bad pictures, goldens."""

import asyncio
import hashlib
import json
from dataclasses import dataclass

import numpy as np
import pytest
import pytest_asyncio
from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from orchestrator.inference.repository import default_repository
from orchestrator.inference.stubs import stubs
from tests.model_repository.pictures import encoded, mutants, painted

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

SIZES = [(1, 1), (16, 16), (224, 224), (640, 480), (31, 900), (1000, 800), (80, 60), (300, 300)]
FILES = [
    encoded(painted(*size, seed=at), form)
    for at, (size, form) in enumerate(zip(SIZES, ("PNG", "JPEG", "WEBP", "GIF") * 2, strict=True))
]
PARTS = ("image_preprocess", "vision_encoder")


@dataclass(frozen=True)
class Goldens:
    files: list[bytes]
    pixels: list[str]
    embeddings: np.ndarray
    known: np.ndarray
    cosine: float
    known_off: float


@pytest.fixture(scope="module")
def repository():
    return default_repository()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(pictures):
    async with InferenceServerClient(pictures.url) as connected:
        yield connected


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def labels(triton):
    async with InferenceServerClient(triton) as connected:
        yield connected


@pytest.fixture(scope="module")
def goldens(repository):
    folder = repository / "image_signals"
    made = json.loads((folder / "goldens.json").read_text(encoding="utf-8"))
    return Goldens(
        files=[(folder / "pictures" / name).read_bytes() for name in made["pictures"]],
        pixels=made["pixels"],
        embeddings=np.asarray(made["embeddings"], np.float32),
        known=np.asarray(made["known"], np.float32),
        cosine=made["tolerance"]["cosine"],
        known_off=made["tolerance"]["known"],
    )


async def ask(client, model, name, rows, outputs):
    tensor = InferInput(name, [len(rows), 1], "BYTES")
    tensor.set_data_from_numpy(np.array(rows, object).reshape(-1, 1))
    answer = await client.infer(model, [tensor], client_timeout=60)
    return [answer.as_numpy(one) for one in outputs]


async def see(client, *files):
    return await ask(client, "image_signals", "IMAGE", files, ("EMBEDDING", "KNOWN"))


async def counts(client, model):
    statistics = await client.get_inference_statistics(model, as_json=True)
    found = statistics["model_stats"][0]
    return int(found["inference_count"]), int(found["execution_count"])


async def test_pixels_of_the_golden_pictures_are_the_reference_s(client, goldens):
    for data, wanted in zip(goldens.files, goldens.pixels, strict=True):
        (pixels,) = await ask(client, "image_preprocess", "IMAGE", [data], ["PIXELS"])
        assert hashlib.sha256(pixels[0].astype("<f4").tobytes()).hexdigest() == wanted


async def test_golden_pictures_are_seen_as_by_the_reference(client, goldens):
    seen = [await see(client, data) for data in goldens.files]
    embeddings = np.concatenate([one for one, _ in seen])
    known = np.concatenate([one for _, one in seen])

    assert (embeddings.dtype, known.dtype) == (np.float32, np.float32)
    assert known.shape == (len(goldens.files), 1)
    least = (embeddings * goldens.embeddings).sum(1).min()
    print(f"least cosine {least:.7f}")
    assert least >= goldens.cosine
    assert np.linalg.norm(embeddings, axis=1) == pytest.approx(1, abs=1e-4)
    assert np.abs(known[:, 0] - goldens.known).max() <= goldens.known_off


async def test_every_row_of_a_request_is_answered(client, goldens):
    embeddings, known = await see(client, *goldens.files[:4])

    assert (embeddings * goldens.embeddings[:4]).sum(1).min() >= goldens.cosine
    assert known.shape == (4, 1)


async def test_pictures_of_all_sizes_share_executions(client):
    alone = [(await see(client, data))[0][0] for data in FILES]
    before = [await counts(client, model) for model in PARTS]
    answers = await asyncio.gather(*(see(client, data) for data in FILES * 8))
    async with asyncio.timeout(10):  # a request is counted a moment after its answer has left
        while (await counts(client, PARTS[1]))[0] < before[1][0] + len(answers):
            await asyncio.sleep(0.01)

    for model, (inferences, executions) in zip(PARTS, before, strict=True):
        after = await counts(client, model)
        asked, run = after[0] - inferences, after[1] - executions
        print(f"{model}: {asked} inferences in {run} executions")
        assert asked == len(answers)
        assert asked / run > 1
    for (embedding, _), wanted in zip(answers, alone * 8, strict=True):
        assert (embedding[0] * wanted).sum() >= 0.99999


async def test_a_bad_picture_fails_alone(client):
    """All of these meet in a few batches."""
    bad = {
        b"": "IMAGE is empty",
        b"<svg/>": "IMAGE is SVG, which is not read; png, jpeg, webp and gif are read",
        FILES[2][:60]: "IMAGE is a webp that",
        b"x" * 20_000_001: "IMAGE is longer than 20000000 bytes",
    }
    alone = [(await see(client, data))[0][0] for data in FILES[:4]]
    mixed = [files for pair in zip(bad, FILES, strict=False) for files in pair]

    answers = await asyncio.gather(*(see(client, data) for data in mixed), return_exceptions=True)

    for message, answer in zip(bad.values(), answers[::2], strict=True):
        assert isinstance(answer, InferenceServerException)
        assert answer.status() == "StatusCode.INVALID_ARGUMENT"
        assert message in str(answer)
    for (embedding, _), wanted in zip(answers[1::2], alone, strict=True):
        assert (embedding[0] * wanted).sum() >= 0.99999


async def test_damaged_files_leave_the_server_well(pictures, client, goldens):
    before = {stub.pid for stub in stubs(pictures.shm_prefix)}
    outcomes = await asyncio.gather(
        *(see(client, data) for data in mutants(60, seed=7)), return_exceptions=True
    )

    failures = [one for one in outcomes if isinstance(one, Exception)]
    assert 5 < len(failures) < 55
    assert {one.status() for one in failures} == {"StatusCode.INVALID_ARGUMENT"}
    assert {stub.pid for stub in stubs(pictures.shm_prefix)} == before
    embeddings, _ = await see(client, goldens.files[0])
    assert (embeddings * goldens.embeddings[:1]).sum() >= goldens.cosine


async def test_labels_are_read_as_by_the_reference(labels, repository):
    path = repository / "image_text_embedding" / "goldens.json"
    made = json.loads(path.read_text(encoding="utf-8"))
    texts = [text.encode() for text in made["texts"]]
    answers = await asyncio.gather(
        *(
            ask(labels, made["model"], "TEXT", [text], ("EMBEDDING", "WINDOWS", "TRUNCATED"))
            for text in texts
        )
    )

    embeddings = np.concatenate([answer[0] for answer in answers])
    least = (embeddings * np.asarray(made["embeddings"])).sum(1).min()
    assert least >= made["tolerance"]["cosine"]
    assert [int(answer[1][0, 0]) for answer in answers] == made["windows"]
    assert [bool(answer[2][0, 0]) for answer in answers] == made["truncated"]
    many = await ask(labels, made["model"], "TEXT", texts, ["EMBEDDING"])
    assert (many[0] * embeddings).sum(1).min() >= 0.99999


async def test_a_bad_label_fails_alone(labels):
    good, bad = await asyncio.gather(
        ask(labels, "image_text_embedding", "TEXT", [b"a receipt"], ["EMBEDDING"]),
        ask(labels, "image_text_embedding", "TEXT", [b"\xff\xfe"], ["EMBEDDING"]),
        return_exceptions=True,
    )

    assert np.linalg.norm(good[0]) == pytest.approx(1, abs=1e-4)
    assert "TEXT is not UTF-8" in str(bad)
