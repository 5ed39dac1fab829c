import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from orchestrator import projections
from orchestrator.config.decisions import Decision, Node
from orchestrator.decision.composition import compose
from orchestrator.decision.engine import Engine
from orchestrator.errors import Forbidden, InferenceTimeout, InferenceUnavailable, ModelUntrusted
from orchestrator.evaluation import LONG_TEXT, Evaluation
from orchestrator.inference.fake import FakeInference
from orchestrator.projections import Known, build
from orchestrator.projections.mapping import MappingRule
from orchestrator.projections.partition import PartitionRule
from orchestrator.projections.score import ScoreRule
from orchestrator.registry import discover
from orchestrator.signals import Heuristic, Inferred, Rule, Signal, Surroundings
from orchestrator.signals.keyword import MOST_BYTES, Keyword, KeywordRule
from orchestrator.types import Facts, Reading, Request, Shape

discover(projections)

SURROUNDINGS = Surroundings(FakeInference())
SECRET = "the prompt, which no log may quote"
REQUEST = Request("auto", SECRET)
LONG = Request("auto", "x" * (LONG_TEXT + 1))


def rules(*names: str) -> list[Rule]:
    return [Rule(name=name) for name in names]


class Words(Heuristic[Rule]):
    """Answers what it is told to, or does what it is told to."""

    Rule = Rule
    section = results = "words"

    def __init__(self, answer: Callable[[Request], Reading], *names: str) -> None:
        super().__init__(rules(*names), SURROUNDINGS)
        self.answer = answer
        self.calls = 0

    def evaluate(self, request: Request) -> Reading:
        self.calls += 1
        return self.answer(request)


class Model(Inferred[Rule]):
    Rule = Rule
    section = results = "model"

    def __init__(self, answer, *names: str) -> None:
        super().__init__(rules(*names), SURROUNDINGS)
        self.answer = answer
        self.cancelled = asyncio.Event()

    async def evaluate(self, request: Request) -> Reading:
        try:
            return await self.answer(request)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


class Aware(Model):
    """Knows something without its model."""

    async def fallback(self, request: Request, reason: str) -> Reading:
        await asyncio.sleep(0)
        if request.text == "crash":
            raise ZeroDivisionError
        return Reading({"a": None}, unknown={"b": reason})


class Pondering(Model):
    """Looks for ever for what it knows without its model."""

    async def fallback(self, request: Request, reason: str) -> Reading:
        return await self.answer(request)


class Levels(Model):
    @classmethod
    def leaves(cls, rules):
        return {f"{rule.name}:{level}": rule.name for rule in rules for level in ("easy", "hard")}


class TopOne(Model):
    def settle(self, reading: Reading) -> Reading:
        best = max(reading.matches, key=lambda name: reading.matches[name] or 0.0)
        return Reading({best: reading.matches[best]}, reading.values, reading.unknown)


class Idle(Signal[Rule]):
    Rule = Rule
    runs = False
    section = results = "idle"


def says(**matches: float | None) -> Callable[[Request], Reading]:
    return lambda request: Reading(matches)


def fails(error: Exception) -> Callable[[Request], Reading]:
    def answer(request: Request) -> Reading:
        raise error

    return answer


def later(answer: Callable[[Request], Reading]):
    async def wait(request: Request) -> Reading:
        await asyncio.sleep(0)
        return answer(request)

    return wait


async def forever(request: Request) -> Reading:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


# ---- what is read ------------------------------------------------------------------------


async def test_only_families_that_are_needed_are_read():
    used, unused = Words(says(a=None), "a"), Words(says(b=None), "b")
    evaluation = Evaluation({"used": used, "unused": unused})

    facts = await evaluation.facts(REQUEST, frozenset({"used", "no such family"}))

    assert dict(facts.readings) == {"used": Reading({"a": None})}
    assert (used.calls, unused.calls) == (1, 0)
    assert set(facts.seconds) == {"used"}


async def test_every_family_is_read_on_demand():
    evaluation = Evaluation({"a": Words(says()), "b": Model(later(says(x=0.5)), "x")})

    facts = await evaluation.facts(REQUEST)

    assert dict(facts.readings) == {"a": Reading(), "b": Reading({"x": 0.5})}


@pytest.fixture
def banded() -> tuple[projections.Projection, ...]:
    """`loud` when a word, or an inferred rule, holds."""
    inputs = [
        {"type": "words", "name": "a", "weight": 1},
        {"type": "model", "name": "b", "weight": 1},
    ]
    return build(
        {
            "scores": [ScoreRule(name="s", inputs=inputs)],
            "mappings": [MappingRule(name="m", source="s", outputs=[{"name": "loud", "gte": 1}])],
        },
        Known({"words": {"a"}, "model": {"b"}}),
    )


async def test_projections_bring_the_families_beneath_them(banded):
    evaluation = Evaluation(
        {
            "words": Words(says(), "a"),
            "model": Model(later(says(b=0.4)), "b"),
            "other": Words(says()),
        },
        banded,
    )

    facts = await evaluation.facts(REQUEST, frozenset({"projection"}))

    assert evaluation.needs(frozenset({"projection"})) == {"words", "model"}
    assert set(facts.readings) == {"words", "model", "projection"}
    assert set(facts.readings["projection"].matches) == {"loud"}


async def test_projections_that_nobody_uses_are_not_computed(banded):
    evaluation = Evaluation({"words": Words(says(a=None), "a")}, banded)

    assert set((await evaluation.facts(REQUEST, frozenset({"words"}))).readings) == {"words"}


async def test_a_failed_signal_reaches_the_mapping_as_unknown(banded):
    evaluation = Evaluation(
        {"words": Words(says(), "a"), "model": Model(later(fails(ModelUntrusted())), "b")}, banded
    )

    facts = await evaluation.facts(REQUEST)

    assert facts.readings["projection"].unknown["loud"] == "model_untrusted"


async def test_partitions_come_before_settling():
    partition = PartitionRule(name="p", semantics="exclusive", members=["b", "c"], default="b")
    signal = TopOne(later(says(a=0.5, b=0.9, c=0.95)), "a", "b", "c")
    built = build(
        {"partitions": [partition]}, Known({"model": {"a", "b", "c"}}, frozenset({"model"}))
    )

    facts = await Evaluation({"model": signal}, built).facts(REQUEST)

    assert dict(facts.readings["model"].matches) == {"c": 0.95}
    assert facts.readings["model"].values["contender:p:b"] == 0.9


@pytest.fixture
def tied():
    """The rule `r` of `model` holds only where the rule `a` of `words` does."""
    tree = Node.model_validate({"type": "words", "name": "a"})
    return compose({"model": {"r": tree}}, {"model": {"r": "r"}}, {})


@pytest.mark.parametrize(
    ("words", "matches", "unknown"),
    [
        pytest.param(says(), {}, {}, id="does not hold"),
        pytest.param(fails(ValueError(SECRET)), {}, {"r": "error"}, id="is unknown"),
        pytest.param(says(a=None), {"r": 0.5}, {}, id="holds"),
    ],
)
async def test_a_composer_brings_its_families_and_filters_the_rule(tied, words, matches, unknown):
    signals = {
        "model": Model(later(says(r=0.5)), "r"),
        "words": Words(words, "a"),
        "z": Words(says()),
    }
    evaluation = Evaluation(signals, composition=tied)

    facts = await evaluation.facts(REQUEST, frozenset({"model"}))

    assert set(facts.readings) == {"model", "words"}
    assert (facts.readings["model"].matches, facts.readings["model"].unknown) == (matches, unknown)


async def test_composers_come_after_partitions_and_before_settling(tied):
    partition = PartitionRule(name="p", semantics="exclusive", members=["a", "b"], default="a")
    built = build({"partitions": [partition]}, Known({"words": {"a", "b"}}, frozenset({"words"})))
    signals = {
        "model": TopOne(later(says(r=0.9, s=0.2)), "r", "s"),
        "words": Words(says(a=0.1, b=0.2), "a", "b"),
    }

    facts = await Evaluation(signals, built, composition=tied).facts(REQUEST)

    assert dict(facts.readings["words"].matches) == {"b": 0.2}
    assert dict(facts.readings["model"].matches) == {"s": 0.2}


async def test_a_family_beneath_a_composer_may_refuse_where_the_rule_is_used(tied):
    refused = Words(fails(Forbidden("no")), "a")
    signals = {"model": Model(later(says(r=0.5)), "r"), "words": refused}

    assert (await Evaluation(signals, used=[], composition=tied).facts(REQUEST)).readings
    with pytest.raises(Forbidden):
        await Evaluation(signals, used=["model"], composition=tied).facts(REQUEST)


# ---- failures ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        pytest.param(ModelUntrusted("x"), "model_untrusted", id="untrusted"),
        pytest.param(InferenceTimeout("x"), "inference_timeout", id="model server timed out"),
        pytest.param(TimeoutError(), "inference_timeout", id="any timeout"),
        pytest.param(ValueError(SECRET), "error", id="crash"),
    ],
)
@pytest.mark.parametrize(
    "signal",
    [
        pytest.param(lambda error: Words(fails(error), "a", "b"), id="heuristic"),
        pytest.param(lambda error: Model(later(fails(error)), "a", "b"), id="inferred"),
    ],
)
async def test_failure_makes_every_rule_unknown_and_the_rest_goes_on(signal, error, reason, caplog):
    evaluation = Evaluation({"bad": signal(error), "good": Words(says(c=None), "c")})

    facts = await evaluation.facts(REQUEST)

    assert facts.readings["bad"] == Reading(unknown={"a": reason, "b": reason})
    assert facts.readings["good"] == Reading({"c": None})
    assert SECRET not in caplog.text


async def test_crash_is_logged_with_its_place_but_not_its_message(caplog):
    evaluation = Evaluation({"bad": Words(fails(ValueError(SECRET)), "a")})

    with caplog.at_level(logging.ERROR):
        await evaluation.facts(REQUEST)

    [record] = caplog.records
    assert record.getMessage().startswith("signal bad: ValueError at ")
    assert "test_evaluation.py" in record.getMessage()
    assert (record.exc_info, SECRET in caplog.text) == (None, False)


class Long(Model):
    """Reads a long text in many pieces."""

    def more(self, request: Request) -> int:
        return 10**6


async def test_deadlines_grow_with_what_a_family_reads_up_to_ten_times():
    loop = asyncio.get_running_loop()
    ended: dict[str, float] = {}

    def until_cancelled(name: str):
        async def wait(request: Request) -> Reading:
            began = loop.time()
            try:
                return await forever(request)
            finally:
                ended[name] = loop.time() - began

        return wait

    signals = {
        "long": Long(until_cancelled("long"), "a"),
        "short": Model(until_cancelled("s"), "b"),
    }

    await Evaluation(signals, default_deadline=0.02).facts(REQUEST)

    assert ended["s"] < ended["long"]
    assert ended["long"] >= 0.2


async def test_deadline_makes_unknown_and_cancels():
    slow = Model(forever, "a")
    evaluation = Evaluation(
        {"slow": slow, "good": Model(later(says(b=0.7)), "b")}, deadlines={"slow": 0.01}
    )

    facts = await evaluation.facts(REQUEST)

    assert facts.readings["slow"] == Reading(unknown={"a": "inference_timeout"})
    assert facts.readings["good"] == Reading({"b": 0.7})
    assert slow.cancelled.is_set()


async def test_what_a_family_knows_without_its_model_has_a_deadline_too():
    pondering = Pondering(forever, "a")

    facts = await Evaluation({"model": pondering}, deadlines={"model": 0.01}).facts(REQUEST)

    assert facts.readings["model"] == Reading(unknown={"a": "inference_timeout"})


async def test_unknown_rule_is_spread_to_its_leaves():
    answer = later(lambda request: Reading({"r:easy": 0.4}, unknown={"q": "inference_error"}))

    facts = await Evaluation({"levels": Levels(answer, "q", "r")}).facts(REQUEST)

    assert set(facts.readings["levels"].unknown) == {"q", "q:easy", "q:hard"}


async def test_failed_family_is_spread_to_its_leaves():
    facts = await Evaluation({"levels": Levels(later(fails(ModelUntrusted())), "q")}).facts(REQUEST)

    assert set(facts.readings["levels"].unknown) == {"q", "q:easy", "q:hard"}


@pytest.mark.parametrize(
    "refusing",
    [
        pytest.param(lambda: Words(fails(Forbidden("no")), "a"), id="heuristic"),
        pytest.param(lambda: Model(later(fails(Forbidden("no"))), "a"), id="inferred"),
    ],
)
async def test_forbidden_propagates_and_ends_the_others(refusing):
    slow = Model(forever, "b")
    evaluation = Evaluation({"slow": slow, "authz": refusing()}, default_deadline=60)

    with pytest.raises(Forbidden):
        await evaluation.facts(REQUEST)

    assert slow.cancelled.is_set()


@pytest.mark.parametrize(
    "refusing",
    [
        pytest.param(lambda: Words(fails(Forbidden("no")), "a"), id="heuristic"),
        pytest.param(lambda: Model(later(fails(Forbidden("no"))), "a"), id="inferred"),
    ],
)
@pytest.mark.parametrize("request_", [REQUEST, LONG], ids=["short", "long"])
async def test_a_family_that_no_decision_uses_cannot_refuse(refusing, request_):
    signals = {"authz": refusing(), "good": Words(says(b=None), "b")}

    facts = await Evaluation(signals, used={"good"}).facts(request_)

    assert facts.readings == {"authz": Reading(), "good": Reading({"b": None})}


async def test_a_family_beneath_a_projection_that_is_used_may_refuse(banded):
    signals = {"words": Words(fails(Forbidden("no")), "a"), "model": Model(later(says()), "b")}

    with pytest.raises(Forbidden):
        await Evaluation(signals, banded, used={"projection"}).facts(REQUEST)


async def test_a_signal_that_crashes_before_traffic_stops_nobody(caplog):
    class Crashing(Model):
        async def prepare(self) -> None:
            raise ValueError(SECRET)

    class Preparing(Model):
        async def prepare(self) -> None:
            await asyncio.sleep(0)
            self.prepared = True

    good = Preparing(forever, "b")

    await Evaluation({"bad": Crashing(forever, "a"), "good": good}).prepare()

    assert good.prepared
    assert caplog.messages[0].startswith("signal bad: ValueError at ")
    assert SECRET not in caplog.text


async def test_cancelling_the_request_cancels_its_signals():
    signals = {"one": Model(forever, "a"), "two": Model(forever, "b")}
    task = asyncio.create_task(Evaluation(signals, default_deadline=60).facts(REQUEST))
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert [signal.cancelled.is_set() for signal in signals.values()] == [True, True]


# ---- what a family knows without its model -----------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(
            later(fails(InferenceUnavailable("away"))), "inference_unavailable", id="away"
        ),
        pytest.param(forever, "inference_timeout", id="late"),
        pytest.param(later(fails(KeyError("x"))), "error", id="crashed"),
    ],
)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another"])
async def test_what_a_family_knows_without_its_model_counts(answer, reason, beside):
    signals = {"aware": Aware(answer, "a", "b")}
    if beside:
        signals["model"] = Model(later(says(c=0.5)), "c")

    facts = await Evaluation(signals, deadlines={"aware": 0.01}).facts(REQUEST)

    assert facts.readings["aware"] == Reading({"a": None}, unknown={"b": reason})


class Answering(Aware):
    async def fallback(self, request: Request, reason: str) -> Reading:
        return Reading({"a": None}, failed=reason)


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another"])
async def test_a_failure_that_leaves_no_rule_unknown_is_logged_and_observed(caplog, beside):
    heard: dict[str, Reading] = {}
    signals = {"own": Answering(later(fails(InferenceUnavailable("10.1.2.3: away"))), "a")}
    if beside:
        signals["model"] = Model(later(says(c=0.5)), "c")
    observe = lambda family, _, reading: heard.update({family: reading})  # noqa: E731

    facts = await Evaluation(signals, observe=observe).facts(REQUEST)

    assert facts.readings["own"] == Reading({"a": None}, failed="inference_unavailable")
    assert heard == facts.readings
    assert [one.getMessage() for one in caplog.records] == [
        "signal own: inference_unavailable; read without its model"
    ]


async def test_where_that_crashes_too_every_rule_is_unknown():
    signal = Aware(later(fails(InferenceUnavailable("away"))), "a", "b")

    facts = await Evaluation({"aware": signal}).facts(Request("auto", "crash"))

    assert facts.readings["aware"] == Reading(unknown={"a": "error", "b": "error"})


# ---- rules that are not run --------------------------------------------------------------


async def test_family_that_does_not_run_gives_no_reading():
    facts = await Evaluation({"idle": Idle(rules("a"), SURROUNDINGS)}).facts(REQUEST)

    assert facts == Facts()


async def test_family_that_does_not_run_may_be_unknown():
    signals = {"idle": Idle(rules("a", "b"), SURROUNDINGS)}

    facts = await Evaluation(signals, not_run="unknown").facts(REQUEST)

    assert facts.readings == {"idle": Reading(unknown={"a": "not_run", "b": "not_run"})}
    assert facts.seconds == {}


class Partly(Words):
    def not_run(self) -> tuple[str, ...]:
        return ("image",)


@pytest.mark.parametrize(
    ("not_run", "unknown"), [("no_match", {}), ("unknown", {"image": "not_run"})]
)
async def test_single_rules_that_do_not_run(not_run, unknown):
    signals = {"part": Partly(says(text=None), "text", "image")}

    facts = await Evaluation(signals, not_run=not_run).facts(REQUEST)

    assert facts.readings["part"] == Reading({"text": None}, unknown=unknown)


# ---- concurrency -------------------------------------------------------------------------


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
    evaluation = Evaluation({"echo": Model(echo, *names), "words": Words(says(), "x")})
    engine = Engine(
        [Decision.model_validate({"name": n, "rules": {"type": "echo", "name": n}}) for n in names]
    )

    async def route(i: int) -> str:
        verdict = engine.decide(await evaluation.facts(Request("auto", str(i)), engine.families))
        return verdict.decision if verdict else "none"

    routes = await asyncio.gather(*(route(i) for i in range(1_000)))

    assert routes == [f"route_{i % 10}" for i in range(1_000)]


async def test_observer_hears_of_every_family_with_its_final_reading():
    heard: dict[str, tuple[float, Reading]] = {}
    evaluation = Evaluation(
        {
            "top": TopOne(later(says(a=0.5, b=0.9)), "a", "b"),
            "bad": Words(fails(ValueError()), "c"),
            "idle": Idle(rules("d"), SURROUNDINGS),
        },
        observe=lambda family, seconds, reading: heard.update({family: (seconds, reading)}),
    )

    facts = await evaluation.facts(REQUEST)

    assert {family: reading for family, (_, reading) in heard.items()} == {
        "top": Reading({"b": 0.9}),
        "bad": Reading(unknown={"c": "error"}),
    }
    assert {family: seconds for family, (seconds, _) in heard.items()} == facts.seconds
    assert all(seconds > 0 for seconds in facts.seconds.values())
