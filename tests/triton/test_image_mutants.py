"""A thousand damaged pictures through the router's client and the published ensemble."""

import asyncio
import itertools
import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
import pytest_asyncio
from tritonclient.grpc.aio import InferenceServerClient

from orchestrator.errors import ImageRefused
from orchestrator.inference import Seen
from orchestrator.inference.checkup import Trust
from orchestrator.inference.picture_goldens import load_floor
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.inference.repository import default_repository
from orchestrator.inference.triton import TritonInference
from orchestrator.inference.trust import TrustedInference
from tests.model_repository.mutations import MUTATIONS, corpus, mutations
from tests.triton import memory

pytestmark = [
    pytest.mark.triton,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(
        not (default_repository() / "vision_encoder" / "1" / "model.onnx").is_file(),
        reason="no image encoder is published",
    ),
]

MUTANTS = 1_000
BURST = 32  # one of them is good
WARM = 8  # bursts, after which memory is compared with that at the end
MODELS = (IMAGE_SIGNALS, "image_preprocess", "vision_encoder")
PIXELS = 3 * 224 * 224 * 4
# Pixels or a decoded picture kept of each mutant would be hundreds of MB; an allocator keeps what
# is too small to be given back.
GROWN = 48_000_000
# What two instances of either model hold in their batches of 4 and of 8, as much again because
# pieces of a region are not always where the next batch fits, and a first MB for each process.
SHARED = 2 * (2 * 4 + 2 * 8) * PIXELS + 4 * 2**20
UNCLEAR = re.compile(r"Traceback|Error|object at|0x[0-9a-f]{6}|\.py|/usr|/tmp|/home|unpack|driver")


@dataclass
class Storm:
    """What came of it."""

    refused: list[tuple[str, str]] = field(default_factory=list)  # mutation, reason
    seen: list[tuple[str, Seen]] = field(default_factory=list)
    other: list[tuple[str, object]] = field(default_factory=list)
    good: list[tuple[str, object]] = field(default_factory=list)  # file name, what was answered
    alone: dict[str, Seen] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)  # process -> id
    after: dict[str, int] = field(default_factory=dict)
    resident: list[dict[str, int]] = field(default_factory=list)
    shared: list[int] = field(default_factory=list)
    trusts: list[Trust] = field(default_factory=list)
    ready: dict[str, bool] = field(default_factory=dict)

    def measure(self, server):
        self.after = memory.processes(server)
        self.resident.append({name: memory.resident(pid) for name, pid in self.after.items()})
        self.shared.append(memory.shared(server))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def storm(pictures):
    repository = default_repository()
    floors = {IMAGE_SIGNALS: load_floor(repository, IMAGE_SIGNALS)}
    inference = TritonInference([pictures.url], timeout_s=30.0, floors=floors)
    trusted = TrustedInference(inference, repository, [IMAGE_SIGNALS])
    yield await driven(pictures, trusted)
    await trusted.stop()
    await inference.close()


async def driven(server, trusted):
    found = Storm(before=memory.processes(server))
    found.trusts += await trusted.check()
    files = corpus()
    damaged = mutations(MUTANTS, seed=11)
    for turn, (name, good) in enumerate(itertools.cycle(files.items())):
        burst = list(itertools.islice(damaged, BURST - 1))
        if not burst:
            break
        if name not in found.alone:
            found.alone[name] = await trusted.see(IMAGE_SIGNALS, [good])
        place = turn % len(burst)
        await one_burst(found, trusted, [*burst[:place], (name, good), *burst[place:]], place)
        if turn == WARM - 1:
            found.measure(server)
    found.measure(server)
    found.trusts += await trusted.check()
    async with InferenceServerClient(server.url) as client:
        found.ready = {model: await client.is_model_ready(model) for model in MODELS}
        found.ready["server"] = await client.is_server_ready()
    return found


async def one_burst(found, trusted, burst, place):
    looks = (trusted.see(IMAGE_SIGNALS, [data]) for _, data in burst)
    answers = await asyncio.gather(*looks, return_exceptions=True)
    for at, ((name, _), answer) in enumerate(zip(burst, answers, strict=True)):
        if at == place:
            found.good.append((name, answer))
        elif isinstance(answer, Seen):
            found.seen.append((name, answer))
        elif isinstance(answer, ImageRefused):
            found.refused.append((name, str(answer)))
        else:
            found.other.append((name, answer))


async def test_each_is_seen_or_refused_and_nothing_else(storm):
    assert storm.other == []
    assert len(storm.seen) + len(storm.refused) == MUTANTS
    # They are neither all harmless nor all hopeless.
    assert MUTANTS * 0.15 < len(storm.seen) < MUTANTS * 0.6
    refused = Counter(name for name, _ in storm.refused)
    assert set(refused) == {mutation.__name__ for mutation in MUTATIONS}


async def test_what_is_seen_is_a_direction_and_a_probability(storm):
    seen = [one for _, one in storm.seen]
    embeddings = np.concatenate([one.embeddings for one in seen])
    known = np.concatenate([one.known for one in seen])

    assert (embeddings.dtype, embeddings.shape) == (np.float32, (len(seen), 384))
    np.testing.assert_allclose(np.linalg.norm(embeddings, axis=1), 1, atol=1e-4)
    assert ((known >= 0) & (known <= 1)).all()


async def test_every_refusal_says_why_in_plain_words(storm):
    reasons = Counter(re.sub(r"\d+", "N", reason) for _, reason in storm.refused)
    for reason, count in reasons.most_common():
        print(f"{count:4} {reason}")

    assert [one for one in reasons if not 5 <= len(one) <= 200 or not one.isprintable()] == []
    assert [one for one in reasons if UNCLEAR.search(one)] == []
    assert len(reasons) > 15


async def test_good_pictures_between_them_are_seen_as_alone(storm):
    assert len(storm.good) == -(-MUTANTS // (BURST - 1))
    for name, answer in storm.good:
        assert isinstance(answer, Seen), (name, answer)
        np.testing.assert_allclose(answer.embeddings, storm.alone[name].embeddings, atol=1e-5)
        np.testing.assert_allclose(answer.known, storm.alone[name].known, atol=1e-5)


async def test_the_server_is_well_afterwards(storm):
    assert storm.after == storm.before  # not one process has been lost
    assert storm.ready == dict.fromkeys((*MODELS, "server"), True)
    first, last = storm.trusts
    assert (first.trusted, last.trusted) == (True, True), last.reason
    assert last.parity == first.parity


async def test_nothing_of_them_is_kept(storm):
    warm, end = storm.resident
    grown = {name: (end[name] - warm[name]) // 1_000_000 for name in end}
    print(f"MB grown: {grown}; shared memory, MB: {[one // 1_000_000 for one in storm.shared]}")

    assert max(end[name] - warm[name] for name in end) < GROWN
    assert storm.shared[1] <= SHARED
