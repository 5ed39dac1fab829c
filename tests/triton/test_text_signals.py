"""The published text classifier in a real tritonserver: rows, tasks, batches, offsets, trust.

What its adapters have learnt is not judged here, save that the goldens are met.
"""

import asyncio
import itertools
import json
import random
import shutil

import numpy as np
import pytest
import pytest_asyncio
from tritonclient.grpc import InferInput, InferRequestedOutput
from tritonclient.grpc.aio import InferenceServerClient
from tritonclient.utils import InferenceServerException

from orchestrator.errors import ModelUntrusted
from orchestrator.inference.repository import default_repository
from orchestrator.inference.server import EmbeddedTriton
from orchestrator.inference.tasks import load_tasks
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.triton import light

pytestmark = [pytest.mark.triton, pytest.mark.asyncio(loop_scope="session")]

MODEL = "text_signals"
FOLDER = default_repository() / MODEL
GOLDENS = json.loads((FOLDER / "goldens.json").read_text(encoding="utf-8"))
LABELS = json.loads((FOLDER / "labels.json").read_text(encoding="utf-8"))
TEXTS = [text.encode() for text in GOLDENS["texts"]]
SEQUENCE = [task for task, row in LABELS.items() if row["kind"] == "sequence"]
PROBABILITY = GOLDENS["tolerance"]["probability"]
EMBEDDER = json.loads(
    (default_repository() / "text_embedding" / "goldens.json").read_text(encoding="utf-8")
)
PERSON = "canary pii: PERSON"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def client(triton):
    async with InferenceServerClient(triton) as connected:
        yield connected


def column(name, rows):
    tensor = InferInput(name, [len(rows), 1], "BYTES")
    tensor.set_data_from_numpy(np.array(rows, object).reshape(-1, 1))
    return tensor


async def infer(client, texts, tasks, outputs=None):
    """`tasks`: of each text, names with commas between them."""
    inputs = [column("TEXT", texts), column("TASKS", [names.encode() for names in tasks])]
    wanted = [InferRequestedOutput(name) for name in outputs] if outputs else None
    return await client.infer(MODEL, inputs, outputs=wanted, client_timeout=60)


def row_of(name):
    return GOLDENS["names"].index(name)


async def test_each_row_is_answered_for_its_own_tasks(client):
    short = [row for row, text in enumerate(TEXTS) if len(text) < 300][-64:]
    sets = [(), *((task,) for task in SEQUENCE), *itertools.combinations(SEQUENCE, 2)]
    asked = [sets[row % len(sets)] for row in short]

    answer = await infer(client, [TEXTS[row] for row in short], [",".join(a) for a in asked])

    for task in SEQUENCE:
        found = answer.as_numpy(f"PROBS_{task}")
        assert found.shape == (len(short), len(LABELS[task]["labels"]))
        for at, row in enumerate(short):
            if task in asked[at]:
                reference = GOLDENS["probabilities"][task][row]
                np.testing.assert_allclose(found[at], reference, atol=PROBABILITY)
            else:
                assert np.isnan(found[at]).all()


async def test_rows_of_a_token_task_are_as_wide_as_the_widest(client):
    rows = [row_of(PERSON), row_of("empty"), row_of("canary pii: DATE_TIME"), row_of(PERSON)]

    answer = await infer(client, [TEXTS[row] for row in rows], ["pii", "pii", "pii", ""])

    spans, scores = answer.as_numpy("SPANS_pii"), answer.as_numpy("SPAN_SCORES_pii")
    expected = [GOLDENS["entities"]["pii"][row] for row in rows[:3]] + [[]]
    assert spans.shape == (4, max(map(len, expected)), 3)
    assert scores.shape == spans.shape[:2]
    for found, sure, reference in zip(spans.tolist(), scores, expected, strict=True):
        count = len(reference)
        assert found[:count] == [list(one[:3]) for one in reference]
        assert found[count:] == [[-1, -1, -1]] * (len(found) - count)
        np.testing.assert_allclose(sure[:count], [one[3] for one in reference], atol=0.05)
        assert not sure[count:].any()


async def test_what_is_not_asked_is_not_sent(client):
    answer = await infer(client, [b"a cat"], ["domain"], ["PROBS_domain", "WINDOWS"])

    assert {output.name for output in answer.get_response().outputs} == {"PROBS_domain", "WINDOWS"}


async def test_it_embeds_as_the_embedder_does(client):
    texts = [text.encode() for text in EMBEDDER["texts"]]
    reference = np.asarray(EMBEDDER["embeddings"], np.float32)

    answer = await infer(client, texts, [""] * len(texts), ["EMBEDDING", "WINDOWS"])

    assert (answer.as_numpy("EMBEDDING") * reference).sum(1).min() >= 0.9999
    assert answer.as_numpy("WINDOWS").ravel().tolist() == EMBEDDER["windows"]


async def test_a_bad_request_fails_alone(client):
    """All of these meet in a few batches."""
    good = [row for row, text in enumerate(TEXTS) if len(text) < 300][:16]
    requests = [([TEXTS[row]], ["domain"]) for row in good]
    requests[5:5] = [
        ([b"\xff\xfe"], ["domain"]),
        ([b"fine", b"fine"], ["domain", "weather"]),
        ([b"a" * 1_048_577], ["domain"]),
        ([b"fine"], ["domain,"]),
    ]

    answers = await asyncio.gather(
        *(infer(client, *one, ["PROBS_domain"]) for one in requests), return_exceptions=True
    )

    bad = [str(one) for one in answers if isinstance(one, InferenceServerException)]
    assert "TEXT is not UTF-8: invalid start byte at byte 0" in bad[0]
    assert f"no task 'weather'; the tasks are: {', '.join(LABELS)}" in bad[1]
    assert "TEXT is longer than 1048576 bytes" in bad[2]
    assert "no task ''" in bad[3]
    right = [one for one in answers if not isinstance(one, InferenceServerException)]
    for row, answer in zip(good, right, strict=True):
        reference = GOLDENS["probabilities"]["domain"][row]
        np.testing.assert_allclose(answer.as_numpy("PROBS_domain")[0], reference, atol=PROBABILITY)


async def test_requests_of_different_tasks_share_a_batch(client):
    async def counts():
        statistics = await client.get_inference_statistics(MODEL, as_json=True)
        model = statistics["model_stats"][0]
        return int(model["inference_count"]), int(model["execution_count"])

    async def worker(seed):
        draw = random.Random(seed)
        for _ in range(3):
            tasks = ",".join(draw.sample(list(LABELS), draw.randint(0, 3)))
            await infer(client, [b"the river " * draw.randint(1, 10)], [tasks], ["WINDOWS"])

    async def settled():
        """The counts once they stand still: a request is counted a moment after its answer."""
        last, still = await counts(), 0
        while still < 20:
            await asyncio.sleep(0.01)
            now = await counts()
            last, still = now, still + 1 if now == last else 0
        return last

    async with asyncio.timeout(20):
        before = await settled()
    await asyncio.gather(*(worker(seed) for seed in range(24)))
    async with asyncio.timeout(20):
        after = await settled()

    inferences, executions = after[0] - before[0], after[1] - before[1]
    assert inferences == 24 * 3
    assert inferences / executions > 1


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param("日", id="Japanese"),
        pytest.param("🙂", id="emoji"),
        pytest.param("e\u0301", id="combining mark"),
    ],
)
async def test_offsets_count_characters(client, sign):
    """One with more bytes, or more code points, moves what follows by its own length."""
    text = TEXTS[row_of(PERSON)].decode()
    plain, other = (f"{first} {text}" for first in ("x", sign))

    found = []
    for said in (text, plain, other):
        answer = await infer(client, [said.encode()], ["pii"], ["SPANS_pii"])
        spans = answer.as_numpy("SPANS_pii")[0].tolist()
        found.append({said[start:stop] for start, stop, _ in spans if start >= 0})

    words = {word for some in (found[0], found[1]) for word in some}
    assert found[0]
    assert found[2]
    assert found[2] & words


async def distrust(url, repository):
    """Why the model at `url` is not trusted by what `repository` says of it."""
    inference = TritonInference([url], tasks={MODEL: load_tasks(repository, MODEL)})
    expects = {task: frozenset(row["labels"]) for task, row in LABELS.items()}
    trusted = TrustedInference(inference, repository, [MODEL], expects=expects)
    try:
        [trust] = await trusted.check()
        with pytest.raises(ModelUntrusted):
            await trusted.classify(MODEL, ["x"], ["domain"])
    finally:
        await inference.close()
    assert not trust.trusted
    return trust.reason


def weights_lost(content):
    """All large tensors of an ONNX file are zeros: field 9 of each, its length, its bytes."""
    spoiled, at, tensors = bytearray(content), 0, 0
    while (at := content.find(b"\x4a", at)) >= 0:
        length = shift = 0
        start = at + 1
        while start < len(content) and shift < 28:
            byte = content[start]
            length |= (byte & 0x7F) << shift
            shift, start = shift + 7, start + 1
            if byte < 0x80:
                break
        if length >= 4_096 and length % 512 == 0 and start + length <= len(content):
            spoiled[start : start + length] = bytes(length)
            tensors += 1
            at = start + length
        else:
            at += 1
    assert tensors > len(LABELS)
    return bytes(spoiled)


async def test_adapters_that_are_lost_are_told(tmp_path):
    repository = light.write(tmp_path)
    branches = repository / MODEL / "1" / "branches.onnx"
    lost = weights_lost(branches.read_bytes())
    branches.unlink()  # a link
    branches.write_bytes(lost)
    server = EmbeddedTriton(repository, [MODEL], state_dir=tmp_path / "state", exit_timeout_s=1)
    await server.start()
    try:
        reason = await distrust(server.url, repository)
    finally:
        await server.stop()

    assert "its answers differ from the reference model's: task " in reason


@pytest.fixture
def beside(tmp_path):
    """Makes a repository whose labels.json is another one than that of the live model."""

    def beside(labels):
        shutil.copytree(FOLDER, tmp_path / MODEL, ignore=shutil.ignore_patterns("1"))
        (tmp_path / MODEL / "labels.json").write_text(json.dumps(labels))
        return tmp_path

    return beside


async def test_labels_that_are_exchanged_are_told(triton, beside):
    changed = json.loads(json.dumps(LABELS))
    changed["jailbreak"]["labels"].reverse()

    reason = await distrust(triton, beside(changed))

    assert "does not fit labels.json: task jailbreak: 'benign' is called 'jailbreak'" in reason


async def test_a_label_that_is_missing_is_told(triton, beside):
    changed = json.loads(json.dumps(LABELS))
    changed["domain"]["labels"].remove("law")

    reason = await distrust(triton, beside(changed))

    assert "does not fit labels.json: task domain has not 13 probabilities" in reason
