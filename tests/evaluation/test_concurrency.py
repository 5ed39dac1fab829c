"""What runs beside what: models, heuristics, long texts, requests."""

import asyncio
import threading
import time
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from orchestrator.config.decisions import Decision
from orchestrator.decision.engine import Engine
from orchestrator.evaluation import LONG_TEXT, Evaluation
from orchestrator.signals.keyword import MOST_BYTES, Keyword, KeywordRule
from orchestrator.types import Reading, Request, Shape
from tests.evaluation.families import LONG, REQUEST, SURROUNDINGS, Idle, Model, Words, says


async def test_signals_that_ask_models_start_before_heuristics_and_overlap():
    log: list[str] = []
    both = asyncio.Barrier(2)

    async def meets(request: Request) -> Reading:
        log.append("model")
        await both.wait()  # passes only while both signals are under way
        return Reading()

    def notes(request: Request) -> Reading:
        log.append("words")
        return Reading()

    await Evaluation({"w": Words(notes), "m": Model(meets), "n": Model(meets)}).facts(REQUEST)

    assert log == ["model", "model", "words"]


async def test_short_texts_and_heuristics_alone_create_no_task():
    seen: set[int] = set()

    def notes(request: Request) -> Reading:
        seen.add(len(asyncio.all_tasks()))
        seen.add(threading.get_ident())
        return Reading()

    await Evaluation({"a": Words(notes), "b": Words(notes)}).facts(REQUEST)

    assert seen == {1, threading.get_ident()}


async def test_one_signal_with_nothing_beside_it_creates_no_task():
    seen: list[int] = []

    async def notes(request: Request) -> Reading:
        seen.append(len(asyncio.all_tasks()))
        return Reading({"a": None})

    facts = await Evaluation({"m": Model(notes, "a"), "idle": Idle([], SURROUNDINGS)}).facts(
        REQUEST
    )

    assert (seen, facts.readings["m"]) == ([1], Reading({"a": None}))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(LONG, id="long text"),
        pytest.param(
            Request("auto", "short", shape=Shape(context_bytes=LONG_TEXT + 1)), id="long context"
        ),
    ],
)
async def test_long_texts_are_read_in_threads_of_their_own(request_):
    seen: set[str] = set()

    def notes(request: Request) -> Reading:
        seen.add(threading.current_thread().name)
        return Reading({"a": None})

    with ThreadPoolExecutor(1, "signals") as threads:
        facts = await Evaluation({"w": Words(notes, "a")}, threads=threads).facts(request_)

    assert (seen, facts.readings["w"]) == ({"signals_0"}, Reading({"a": None}))


PHRASES = [f"{first} {second}" for first in "abcdefghij" for second in ("plan", "review")]


async def longest_gap(work: Awaitable[object]) -> float:
    """Of the event loop, in seconds, while `work` goes on."""
    task = asyncio.ensure_future(work)
    last, longest = time.perf_counter(), 0.0
    while not task.done():
        await asyncio.sleep(0)
        now = time.perf_counter()
        last, longest = now, max(longest, now - last)
    await task
    return longest


@pytest.mark.parametrize("method", ["bm25", "ngram", "fuzzy"])
async def test_a_text_of_8_MB_holds_up_the_loop_no_longer_than_its_sample_does(method):
    """Threads alone do not help: one call into C that lists the words of 8 MB keeps the lock."""
    draw = Random(7)
    words = " ".join("".join(draw.choices("bcdfgklmn", k=7)) for _ in range(1 << 20))
    rule = {"name": "r", "operator": "OR", "method": method, "keywords": PHRASES}
    keyword = Keyword([KeywordRule.model_validate(rule)], SURROUNDINGS)

    with ThreadPoolExecutor(1) as threads:
        evaluation = Evaluation({"w": keyword}, default_deadline=60, threads=threads)
        part, whole = (Request("auto", text) for text in (words[:MOST_BYTES], words))
        usual = [await longest_gap(evaluation.facts(part)) for _ in range(3)]
        found = [await longest_gap(evaluation.facts(whole)) for _ in range(3)]

    # A busy machine only ever adds to a gap.
    assert min(found) < 6 * max(usual)


async def test_work_that_was_given_up_before_it_began_is_never_done():
    release, begun = threading.Event(), []

    def stuck(request: Request) -> Reading:
        begun.append(request)
        release.wait(10)
        return Reading()

    with ThreadPoolExecutor(2) as threads:
        evaluation = Evaluation({"w": Words(stuck, "a")}, default_deadline=0.01, threads=threads)
        try:
            found = await asyncio.gather(*(evaluation.facts(LONG) for _ in range(20)))
        finally:
            release.set()

    assert {facts.readings["w"].unknown["a"] for facts in found} == {"inference_timeout"}
    assert len(begun) == 2


async def test_long_texts_have_deadlines_too():
    release = threading.Event()

    def stuck(request: Request) -> Reading:
        release.wait(10)
        return Reading({"a": None})

    try:
        facts = await Evaluation({"w": Words(stuck, "a")}, default_deadline=0.01).facts(LONG)
    finally:
        release.set()

    assert facts.readings["w"] == Reading(unknown={"a": "inference_timeout"})


async def test_interleaved_requests_keep_their_own_routes():
    async def echo(request: Request) -> Reading:
        for _ in range(int(request.text) % 7):
            await asyncio.sleep(0)
        return Reading({f"route_{int(request.text) % 10}": 0.9})

    names = [f"route_{i}" for i in range(10)]
    evaluation = Evaluation(
        {"echo": Model(echo, *names), "words": Words(says(), "x")}, default_deadline=60.0
    )
    engine = Engine(
        [Decision.model_validate({"name": n, "rules": {"type": "echo", "name": n}}) for n in names]
    )

    async def route(i: int) -> str:
        verdict = engine.decide(await evaluation.facts(Request("auto", str(i)), engine.families))
        return verdict.decision if verdict else "none"

    routes = await asyncio.gather(*(route(i) for i in range(1_000)))

    assert routes == [f"route_{i % 10}" for i in range(1_000)]
