"""A family that fails, is late or refuses, and what the others still know."""

import asyncio
import logging

import pytest

from orchestrator.errors import Forbidden, InferenceTimeout, InferenceUnavailable, ModelUntrusted
from orchestrator.evaluation import Evaluation
from orchestrator.types import Reading, Request
from tests.evaluation.families import (
    LONG,
    REQUEST,
    SECRET,
    Levels,
    Model,
    Words,
    fails,
    forever,
    later,
    says,
)


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
    assert "families.py" in record.getMessage()
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


async def test_an_outage_is_logged_when_it_begins_and_not_for_each_request(caplog):
    said = ["inference_timeout", *["model_untrusted"] * 2, "", "model_untrusted"]
    heard = iter([Reading({"a": None}, failed=why) for why in said])
    evaluation = Evaluation({"own": Aware(later(lambda _: next(heard)), "a")})

    for _ in said:
        await evaluation.facts(REQUEST)

    assert [one.getMessage().split()[2] for one in caplog.records] == [
        "inference_timeout;",
        "model_untrusted;",
        "model_untrusted;",
    ]


@pytest.mark.parametrize(
    "reason", ["unsupported_language:de", "text_cut", "history_not_read"], ids=str
)
async def test_what_lies_in_the_text_is_no_failure_to_log(caplog, reason):
    reading = Reading({"a": None}, failed=reason)

    facts = await Evaluation({"own": Aware(later(lambda _: reading), "a")}).facts(REQUEST)

    assert (facts.readings["own"], caplog.records) == (reading, [])


async def test_where_that_crashes_too_every_rule_is_unknown():
    signal = Aware(later(fails(InferenceUnavailable("away"))), "a", "b")

    facts = await Evaluation({"aware": signal}).facts(Request("auto", "crash"))

    assert facts.readings["aware"] == Reading(unknown={"a": "error", "b": "error"})
