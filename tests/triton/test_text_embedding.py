"""The published sentence encoder in a real tritonserver."""

import asyncio
import json
import random

import numpy as np
import pytest
import pytest_asyncio
from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from tests.triton import light

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

MODEL = "text_embedding"
GOLDENS = json.loads((default_repository() / MODEL / "goldens.json").read_text(encoding="utf-8"))
TEXTS = [text.encode() for text in GOLDENS["texts"]]
REFERENCE = np.asarray(GOLDENS["embeddings"], np.float32)
LONG = b"the river rises by two metres every spring and floods the lower meadows . "


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(triton):
    async with InferenceServerClient(triton) as connected:
        yield connected


async def infer(client, rows):
    tensor = InferInput("TEXT", [len(rows), 1], "BYTES")
    tensor.set_data_from_numpy(np.array(rows, object).reshape(-1, 1))
    return await client.infer(MODEL, [tensor], client_timeout=60)


def least_cosine(answer, rows):
    return (answer.as_numpy("EMBEDDING") * REFERENCE[rows]).sum(1).min()


def lengths(answer):
    return answer.as_numpy("WINDOWS").ravel().tolist()


def cuts(answer):
    return answer.as_numpy("TRUNCATED").ravel().tolist()


@pytest.mark.parametrize("row", range(len(TEXTS)), ids=GOLDENS["names"])
async def test_a_golden_alone(client, row):
    answer = await infer(client, [TEXTS[row]])

    assert least_cosine(answer, [row]) >= 0.99999
    assert lengths(answer) == [GOLDENS["windows"][row]]
    assert cuts(answer) == [GOLDENS["truncated"][row]]


async def test_all_goldens_in_one_request(client):
    answer = await infer(client, TEXTS)

    assert least_cosine(answer, list(range(len(TEXTS)))) >= 0.99999
    assert lengths(answer) == GOLDENS["windows"]


async def test_all_goldens_at_once_in_any_order(client):
    order = [*range(len(TEXTS))] * 2
    random.Random(11).shuffle(order)

    answers = await asyncio.gather(*(infer(client, [TEXTS[row]]) for row in order))

    found = [least_cosine(answer, [row]) for row, answer in zip(order, answers, strict=True)]
    assert min(found) >= 0.99999


async def test_a_request_of_three_rows_gets_three(client):
    answer = await infer(client, TEXTS[7:10])

    assert answer.as_numpy("EMBEDDING").shape == (3, 384)
    assert answer.as_numpy("WINDOWS").shape == answer.as_numpy("TRUNCATED").shape == (3, 1)
    assert least_cosine(answer, [7, 8, 9]) >= 0.99999


async def test_a_bad_text_fails_alone(client):
    """All of these meet in a few batches."""
    rows = [[text] for text in TEXTS[:20]]
    rows[5:5] = [[b"\xff\xfe"], [b"fine", b"caf\xe9"], [b"a" * 1_048_577]]

    answers = await asyncio.gather(*(infer(client, row) for row in rows), return_exceptions=True)

    bad, good = answers[5:8], answers[:5] + answers[8:]
    assert [type(answer) for answer in bad] == [InferenceServerException] * 3
    assert "TEXT is not UTF-8: invalid start byte at byte 0" in str(bad[0])
    assert "TEXT is not UTF-8: unexpected end of data at byte 3" in str(bad[1])
    assert "TEXT is longer than 1048576 bytes" in str(bad[2])
    assert min(least_cosine(answer, [row]) for row, answer in enumerate(good)) >= 0.99999


@pytest.mark.parametrize(
    ("repeats", "windows", "truncated"),
    [
        pytest.param(15, 1, False, id="one window"),
        pytest.param(20, 2, False, id="two windows"),
        pytest.param(256, 16, False, id="as many windows as are read"),
        pytest.param(257, 16, True, id="a sentence more"),
        pytest.param(10_000, 16, True, id="three quarters of a megabyte"),
    ],
)
async def test_long_texts_say_how_much_was_read(client, repeats, windows, truncated):
    answer = await infer(client, [LONG * repeats])

    assert (lengths(answer), cuts(answer)) == ([windows], [truncated])
    assert np.linalg.norm(answer.as_numpy("EMBEDDING")) == pytest.approx(1, abs=1e-6)


async def test_texts_of_different_lengths_share_a_batch(client):
    async def counts():
        statistics = await client.get_inference_statistics(MODEL, as_json=True)
        model = statistics["model_stats"][0]
        return int(model["inference_count"]), int(model["execution_count"])

    async def worker(seed):
        draw = random.Random(seed)
        for _ in range(6):
            await infer(client, [b"the river " * draw.randint(1, 40)])

    before = await counts()
    await asyncio.gather(*(worker(seed) for seed in range(32)))
    async with asyncio.timeout(10):  # a request is counted a moment after its answer has left
        while (after := await counts())[0] < before[0] + 32 * 6:
            await asyncio.sleep(0.01)

    inferences, executions = after[0] - before[0], after[1] - before[1]
    assert inferences == 32 * 6
    assert inferences / executions > 1


async def test_it_works_from_a_folder_with_spaces(tmp_path):
    repository = light.write(tmp_path / "a folder")
    server = EmbeddedTriton(repository, [MODEL], state_dir=tmp_path / "state", exit_timeout_s=1)
    await server.start()
    try:
        async with InferenceServerClient(server.url) as client:
            answer = await infer(client, TEXTS[7:8])
    finally:
        await server.stop()

    assert least_cosine(answer, [7]) >= 0.99999
