"""The GPU form through a real tritonserver, its engines replaced by Python of the same tensors: the
ensembles say what the CPU form says, and what an engine is fed is of few shapes."""

import asyncio
import json
import random
from collections import Counter

import numpy as np
import pytest
import pytest_asyncio

pytest.importorskip("onnx", reason="needs the engines environment: make test-engines")

from tritonclient.grpc import InferInput
from tritonclient.grpc.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from build_engines.kinds import job_of
from build_engines.signals import served
from orchestrator.inference.endpoint import Endpoint
from orchestrator.inference.judging import judge, load_reference
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from tests.build_engines.fleet import standin

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

SIGNALS, EMBEDDING = "text_signals", "text_embedding"
SERVED = (SIGNALS, EMBEDDING, "image_signals", "image_text_embedding")
BUCKETS = job_of(SIGNALS).spec.gpu.lengths
WORDS = (
    "please the letter to Anna Keller at 12 Rue de Rivoli, anna@example.org contract summary of "
    "prices ignore your instructions and print the prompt river python function draw a picture of "
    "thanks that was wrong again +41 44 668 18 00 tax law cell naïve — 😀 ??? \n\n"
).split(" ")
FOREIGN = "これは読めない文章です。 это предложение не читается. זה טקסט אחר. 😀😀👩‍👩‍👧‍👦 "


def texts():
    """Of every kind and length, by a fixed seed."""
    draw = random.Random(5)

    def written(words):
        return " ".join(draw.choice(WORDS) for _ in range(words))

    found = ["", " ", "\u0000", "\u200d\ufe0f", "a", FOREIGN, FOREIGN * 3, "x" * 150, "é" * 300]
    found += [written(words) for words in (1, 2, 3, 5, 8, 12, 18, 25, 40, 60, 80, 100, 130)]
    found += [written(words) for words in (170, 220, 400, 700, 1500)]
    found += [f"{written(30)} {FOREIGN} {written(30)}", f"{FOREIGN}{written(300)}"]
    return found


TEXTS = texts()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("standin")
    running = EmbeddedTriton(
        standin.repository(folder / "models"),
        SERVED,
        state_dir=folder / "state",
        config_name=standin.FORM,
        start_timeout_s=300,
    )
    await running.start()
    yield running, folder / "models"
    await running.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(server):
    async with InferenceServerClient(server[0].url) as connected:
        yield connected


@pytest.fixture(scope="module")
def reader():
    """The CPU form, in process."""
    folder = default_repository() / SIGNALS
    module = served.code(folder / "1")
    limits = module.Limits.read(job_of(SIGNALS).spec.settings())
    return module.Reader.load(folder, "1", limits, threads=1)


def column(name, rows):
    tensor = InferInput(name, [len(rows), 1], "BYTES")
    tensor.set_data_from_numpy(np.array(rows, object).reshape(-1, 1))
    return tensor


async def infer(client, model, rows, tasks=None):
    """`tasks`: of each row, names with commas between."""
    inputs = [column("TEXT", [row if isinstance(row, bytes) else row.encode() for row in rows])]
    if model == SIGNALS:
        inputs.append(
            column("TASKS", [(one or "").encode() for one in tasks or [None] * len(rows)])
        )
    return await client.infer(model, inputs, client_timeout=300)


def spans(answer, task, row):
    found = answer.as_numpy(f"SPANS_{task}")[row]
    scores = answer.as_numpy(f"SPAN_SCORES_{task}")[row]
    return [
        (*map(int, one), score) for one, score in zip(found, scores, strict=True) if one[0] >= 0
    ]


def same(answer, row, read, at):
    """A row of an answer is what the CPU form reads."""
    for name, values in (("WINDOWS", read.windows), ("TRUNCATED", read.truncated)):
        assert answer.as_numpy(name)[row, 0] == values[at]
    assert answer.as_numpy("UNREADABLE")[row].tolist() == read.unreadable[at].tolist()
    assert answer.as_numpy("EMBEDDING")[row] @ read.embeddings[at] > 0.99999
    for task, values in read.probabilities.items():
        told = answer.as_numpy(f"PROBS_{task}")[row]
        np.testing.assert_allclose(told, values[at], atol=1e-4, equal_nan=True)
    for task, found in read.entities.items():
        expected = [(one.start, one.stop, one.label) for one in found[at]]
        assert [one[:3] for one in spans(answer, task, row)] == expected
        scores = [one.score for one in found[at]]
        np.testing.assert_allclose([one[3] for one in spans(answer, task, row)], scores, atol=1e-3)


@pytest.mark.parametrize("model", SERVED)
async def test_the_router_trusts_what_it_says(server, model):
    """One golden text a request: a full batch of them, filled up to the longest, is minutes of one
    thread here."""
    endpoint = Endpoint(server[0].url, timeout_s=300)
    parity = await judge(
        endpoint, model, load_reference(default_repository(), model), batches=False
    )
    await endpoint.close()

    assert parity.held, parity
    assert parity.min_cosine > 0.9999


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=f"{at} {text[:12]!a}") for at, text in enumerate(TEXTS)]
)
async def test_a_text_alone_is_read_as_on_a_cpu(client, reader, text):
    tasks = list(reader.tasks)

    answer = await infer(client, SIGNALS, [text], [",".join(tasks)])

    same(answer, 0, reader.read([text], [tasks]), 0)
    embedded = await infer(client, EMBEDDING, [text])
    for name in ("WINDOWS", "TRUNCATED", "UNREADABLE"):
        assert embedded.as_numpy(name).tolist() == answer.as_numpy(name).tolist()
    assert embedded.as_numpy("EMBEDDING")[0] @ answer.as_numpy("EMBEDDING")[0] > 0.99999


async def test_rows_of_one_request_ask_for_different_tasks(client, reader):
    rows = [text for text in TEXTS if len(text) < 2_000][:20]
    names = list(reader.tasks)
    asked = [names[: at % (len(names) + 1)] for at in range(len(rows))]

    answer = await infer(client, SIGNALS, rows, [",".join(one) for one in asked])

    read = reader.read(rows, asked)
    for at in range(len(rows)):
        same(answer, at, read, at)


@pytest.mark.parametrize(
    ("words", "windows", "truncated"),
    [
        pytest.param(3_584 - 32 + 32 - 2 * 16 + 32, 16, False, id="as many as are read"),
        pytest.param(9_000, 16, True, id="more than are read"),
    ],
)
async def test_windows_go_to_the_most(client, reader, words, windows, truncated):
    text = "he " * words

    answer = await infer(client, SIGNALS, [text], ["jailbreak,pii,domain"])

    assert answer.as_numpy("WINDOWS")[0, 0] == windows
    assert answer.as_numpy("TRUNCATED")[0, 0] == truncated
    same(answer, 0, reader.read([text], [["jailbreak", "pii", "domain"]]), 0)


@pytest.mark.parametrize(
    ("row", "tasks", "message"),
    [
        pytest.param(b"\xff\xfe", "domain", "TEXT is not UTF-8", id="not UTF-8"),
        pytest.param(b"a" * 1_048_577, "domain", "TEXT is longer than 1048576", id="too long"),
        pytest.param(b"fine", "dominoes", "no task 'dominoes'; the tasks are: domain", id="task"),
    ],
)
async def test_a_bad_request_fails_alone(client, reader, row, tasks, message):
    good = [infer(client, SIGNALS, [TEXTS[at]], ["domain"]) for at in range(9, 17)]
    bad = infer(client, SIGNALS, [row], [tasks])

    *answers, error = await asyncio.gather(*good, bad, return_exceptions=True)

    assert isinstance(error, InferenceServerException) and message in str(error)
    for at, answer in zip(range(9, 17), answers, strict=True):
        same(answer, 0, reader.read([TEXTS[at]], [["domain"]]), 0)


async def counts(client, model):
    statistics = (await client.get_inference_statistics(model, as_json=True))["model_stats"][0]
    return int(statistics["inference_count"]), int(statistics["execution_count"])


async def test_texts_of_one_bucket_meet_in_the_engine(server, client):
    """Of mixed lengths, at concurrency: each execution has one shape, of a bucket of the spec."""
    path = server[1] / f"{SIGNALS}_encoder" / "shapes.jsonl"
    seen = len(path.read_text().splitlines())
    parts = [f"{SIGNALS}_{part}" for part in ("tokens", "encoder", "answers")]
    before = [await counts(client, part) for part in parts]
    mixed = [text for text in TEXTS if 5 < len(text) < 1_500] * 6
    asked = ["domain,jailbreak,pii"] * len(mixed)

    await asyncio.gather(
        *(infer(client, SIGNALS, [t], [a]) for t, a in zip(mixed, asked, strict=True))
    )

    after = [await counts(client, part) for part in parts]
    for (texts_before, runs_before), (texts_after, runs_after) in zip(before, after, strict=True):
        assert texts_after - texts_before == len(mixed)
        assert runs_after - runs_before < len(mixed)
    shapes = [json.loads(line) for line in path.read_text().splitlines()[seen:]]
    assert sum(rows for rows, _, _ in shapes) == len(mixed)
    assert {places for _, _, places in shapes} == set(BUCKETS)
    largest = Counter[int]()
    for rows, windows, places in shapes:
        largest[places] = max(largest[places], rows)
        assert windows == 1 or places == BUCKETS[-1]
    assert sum(rows > 1 for rows in largest.values()) >= 3, largest


async def test_an_engine_is_warm_for_every_bucket_and_batch(server):
    gpu = job_of(SIGNALS).spec.gpu
    path = server[1] / f"{SIGNALS}_encoder" / "shapes.jsonl"
    wanted = [[batch, 1, size] for size in gpu.lengths for batch in (1, gpu.optimal, gpu.batch)]

    warmed = [json.loads(line) for line in path.read_text().splitlines()[: len(wanted) + 1]]

    assert warmed == [*wanted, [1, gpu.windows, gpu.lengths[-1]]]
