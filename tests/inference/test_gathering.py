import asyncio
import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import (
    ImageRefused,
    InferenceError,
    InferenceTimeout,
    InferenceUnavailable,
)
from orchestrator.inference import Classification, Seen
from orchestrator.inference.answers import Answer
from orchestrator.inference.gathering import ALONE_BYTES, MOST_BYTES, MOST_ROWS, TURNS, Gathering
from orchestrator.inference.rows import Row
from orchestrator.inference.triton import TritonInference
from tests.inference.fake_triton import TASKS, FakeTriton, probabilities, serving, vector

LIMIT_S = 20.0
LABELS = {"domain": ("art", "law"), "guard": ("fine", "danger"), "pii": ("AGE",)}


class Source:
    """Answers each row with what it says; `gate` holds answers back."""

    def __init__(self, failure=None):
        self.failure = failure
        self.requests = []
        self.looks = []
        self.patience = {}
        self.cancelled = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.entered = asyncio.Event()

    async def ask(self, model, rows):
        asked = [(row.text.decode(), row.tasks, row.embeds) for row in rows]
        self.requests.append((model, asked))
        self.patience |= {row.text.decode(): row.patience for row in rows}
        self.entered.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append([text for text, *_ in asked])
            raise
        if self.failure is not None:
            raise self.failure
        return [_answer(row) for row in rows]

    async def look(self, model, picture, patience):
        self.looks.append((model, picture, patience))
        self.entered.set()
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return Seen(vector(picture)[None], np.array([0.75], np.float32), 0.25)

    async def embed(self, model, texts):
        assert list(texts) == []
        return np.empty((0, 4), np.float32)

    def labels(self, model):
        return LABELS

    def languages(self, model):
        return {}


def _answer(row):
    share = len(row.text) / (len(row.text) + 1)
    said = Classification(
        {task: {"share": share} for task in row.tasks - {"pii"}},
        {task: () for task in row.tasks & {"pii"}},
        windows=len(row.text),
        truncated=row.text.startswith(b"cut"),
    )
    return Answer(vector(row.text) if row.embeds else None, said)


def texts_of(source):
    return [[text for text, *_ in rows] for _, rows in source.requests]


async def turns(count=2 * TURNS):
    """Let the event loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_an_unknown_task_fails_its_caller_alone():
    source = Source()
    gathering = Gathering(source)

    bad, good = await asyncio.gather(
        gathering.classify("m", ["a"], ["mood"]),
        gathering.classify("m", ["a"], ["domain"]),
        return_exceptions=True,
    )

    assert isinstance(bad, InferenceError)
    assert "no task 'mood'; the tasks are: domain, guard, pii" in str(bad)
    assert list(good[0].probabilities) == ["domain"]
    assert source.requests == [("m", [("a", {"domain"}, False)])]


async def test_a_text_that_is_too_long_fails_its_caller_alone():
    source = Source()
    gathering = Gathering(source, max_bytes=8)

    bad, good = await asyncio.gather(
        gathering.embed("m", ["fine", "a" * 9]), gathering.embed("m", ["b"]), return_exceptions=True
    )

    assert isinstance(bad, InferenceError)
    assert "9 bytes exceeds the limit of 8" in str(bad)
    np.testing.assert_array_equal(good, [vector(b"b")])
    assert texts_of(source) == [["b"]]


async def test_no_texts_no_request():
    source = Source()
    gathering = Gathering(source)

    assert await gathering.classify("m", [], ["domain"]) == []
    assert (await gathering.embed("m", [])).shape == (0, 4)
    assert source.requests == []


async def test_all_that_is_asked_of_a_text_at_one_moment_is_one_row():
    source = Source()
    gathering = Gathering(source)

    vectors, domain, both = await asyncio.gather(
        gathering.embed("m", ["hi"]),
        gathering.classify("m", ["hi"], ["domain"]),
        gathering.classify("m", ["hi"], ["pii", "guard"]),
    )

    assert source.requests == [("m", [("hi", {"domain", "guard", "pii"}, True)])]
    np.testing.assert_array_equal(vectors, [vector(b"hi")])
    assert domain == [Classification({"domain": {"share": 2 / 3}}, {}, windows=2)]
    assert both == [Classification({"guard": {"share": 2 / 3}}, {"pii": ()}, windows=2)]


async def test_who_looks_at_something_of_its_own_first_is_not_too_late():
    source = Source()
    gathering = Gathering(source)

    async def prepared():
        return "hi"

    async def embed():
        [text] = await asyncio.gather(prepared())
        return await gathering.embed("m", [text])

    await asyncio.gather(gathering.classify("m", ["hi"], ["domain"]), embed())

    assert source.requests == [("m", [("hi", {"domain"}, True)])]


async def test_other_texts_of_the_moment_are_rows_of_the_same_request():
    source = Source()
    gathering = Gathering(source)

    await asyncio.gather(
        gathering.classify("m", ["a", "b", "a"], ["domain"]),
        gathering.classify("m", ["c", "a"], ["guard"]),
        gathering.embed("m", ["d"]),
    )

    [(_, rows)] = source.requests
    assert rows == [
        ("a", {"domain", "guard"}, False),
        ("b", {"domain"}, False),
        ("c", {"guard"}, False),
        ("d", set(), True),
    ]


async def test_other_models_and_later_moments_are_requests_of_their_own():
    source = Source()
    gathering = Gathering(source)

    await asyncio.gather(gathering.embed("m", ["a"]), gathering.embed("other", ["a"]))
    await gathering.embed("m", ["a"])

    assert [model for model, _ in source.requests] == ["m", "other", "m"]


async def test_a_stand_in_embeds_for_another_model():
    source = Source()
    gathering = Gathering(source, stand_ins={"text_embedding": "m"})

    await asyncio.gather(
        gathering.embed("text_embedding", ["a"]), gathering.classify("m", ["a"], ["domain"])
    )

    assert source.requests == [("m", [("a", {"domain"}, True)])]


async def test_long_texts_travel_alone_and_requests_have_limits():
    source = Source()
    gathering = Gathering(source)
    long, edge = ["x" * (ALONE_BYTES + 1), "y" * 9000], "z" * ALONE_BYTES

    await gathering.classify("m", [long[0], "a", edge, long[1], "b"], ["domain"])
    assert sorted(texts_of(source), key=len) == [[long[0]], [long[1]], ["a", edge, "b"]]

    source.requests.clear()
    await gathering.embed("m", [str(number) for number in range(MOST_ROWS + 1)])
    assert [len(rows) for rows in texts_of(source)] == [MOST_ROWS, 1]

    source.requests.clear()
    await gathering.embed("m", [f"{number}" * 3000 for number in range(10)])
    sizes = [sum(map(len, rows)) for rows in texts_of(source)]
    assert sum(sizes) == 30_000
    assert max(sizes) <= MOST_BYTES


@pytest.mark.parametrize(
    ("flying", "asked", "joins"),
    [
        pytest.param({"domain"}, {"guard"}, False, id="another task"),
        pytest.param({"domain"}, {"domain", "guard"}, False, id="one task more"),
        pytest.param({"domain"}, None, False, id="the embedding, which is not on its way"),
        pytest.param({"domain", "guard"}, {"guard"}, True, id="one of its tasks"),
        pytest.param({"domain"}, {"domain"}, True, id="the same"),
    ],
)
async def test_who_asks_what_is_on_its_way_waits_for_that(flying, asked, joins):
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    first = asyncio.create_task(gathering.classify("m", ["hi"], flying))
    await source.entered.wait()
    later = (
        gathering.embed("m", ["hi"]) if asked is None else gathering.classify("m", ["hi"], asked)
    )
    second = asyncio.create_task(later)
    await turns()
    source.gate.set()
    (one,), (two,) = await asyncio.gather(first, second)

    assert len(source.requests) == (1 if joins else 2)
    assert set(one.probabilities) == flying
    assert asked is None or set(two.probabilities) == asked


@pytest.mark.parametrize("when", ["before it leaves", "on its way"])
async def test_a_caller_that_gives_up_does_not_disturb_the_others(when):
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    hasty = asyncio.create_task(gathering.classify("m", ["hi", "a"], ["domain"]))
    patient = asyncio.create_task(gathering.classify("m", ["hi"], ["guard"]))
    await (turns(1) if when == "before it leaves" else source.entered.wait())
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    await turns()
    source.gate.set()

    [said] = await patient
    assert set(said.probabilities) == {"guard"}
    assert source.cancelled == []


async def test_a_request_that_nobody_waits_for_is_cancelled():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    callers = [
        asyncio.create_task(gathering.classify("m", texts, ["domain"]))
        for texts in (["hi"], ["hi", "a"])
    ]
    await source.entered.wait()
    callers[0].cancel()
    await turns()
    assert source.cancelled == []
    callers[1].cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await turns()

    assert source.cancelled == [["hi", "a"]]


async def test_nobody_joins_a_request_that_is_being_cancelled():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)

    async def persistent():
        try:
            return await gathering.classify("m", ["hi"], ["domain"])
        except asyncio.CancelledError:
            return await gathering.classify("m", ["hi"], ["domain"])

    caller = asyncio.create_task(persistent())
    await source.entered.wait()
    caller.cancel()
    source.gate.set()
    [said] = await caller

    assert set(said.probabilities) == {"domain"}
    assert texts_of(source) == [["hi"], ["hi"]]


async def test_callers_that_give_up_at_once_cost_no_request():
    source = Source()
    gathering = Gathering(source)
    caller = asyncio.create_task(gathering.embed("m", ["hi"]))
    asyncio.get_running_loop().call_soon(caller.cancel)  # runs before the departure
    with pytest.raises(asyncio.CancelledError):
        await caller
    await turns()

    assert source.requests == []


async def test_a_failure_reaches_every_caller_and_is_not_kept(caplog):
    source = Source(failure=InferenceTimeout("m: no answer in time"))
    gathering = Gathering(source)

    failures = await asyncio.gather(
        gathering.embed("m", ["a"]),
        gathering.classify("m", ["a", "b"], ["domain"]),
        gathering.classify("m", ["a"], ["guard"]),
        return_exceptions=True,
    )
    assert [(type(one), str(one)) for one in failures] == [
        (InferenceTimeout, "m: no answer in time")
    ] * 3
    assert len({id(one) for one in failures}) == 3

    source.failure = None
    assert (await gathering.embed("m", ["a"])).shape == (1, 4)
    del failures
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_request_that_its_source_gives_up_is_a_failure_and_cancels_nobody():
    source = Source(failure=asyncio.CancelledError())
    gathering = Gathering(source)

    failures = await asyncio.gather(
        gathering.embed("m", ["a"]),
        gathering.classify("m", ["a", "b"], ["domain"]),
        return_exceptions=True,
    )

    assert [type(one) for one in failures] == [InferenceUnavailable] * 2


async def test_one_failed_request_fails_a_call_that_has_several_and_ends_them():
    source, failed = Source(), asyncio.Event()

    async def ask(model, rows):
        if rows[0].text.startswith(b"bad"):
            failed.set()
            raise InferenceError("broken")
        return await Source.ask(source, model, rows)

    source.ask = ask
    source.gate.clear()
    gathering = Gathering(source)
    with pytest.raises(InferenceError, match="broken"):
        await gathering.embed("m", ["slow" + "x" * 5000, "bad" + "x" * 5000])
    await turns()

    assert failed.is_set()
    assert len(source.cancelled) == 1


async def test_over_the_wire_one_call_answers_everything():
    fake = FakeTriton(max_batch=8)
    async with serving(fake) as url:
        inference = TritonInference([url], tasks={"m": TASKS})
        gathering = Gathering(inference)
        vectors, domain, pii = await asyncio.gather(
            gathering.embed("m", ["I am 42", "b"]),
            gathering.classify("m", ["b"], ["domain"]),
            gathering.classify("m", ["I am 42"], ["pii"]),
        )
        await inference.close()

    assert fake.asked == [[(b"I am 42", "pii"), (b"b", "domain")]]
    np.testing.assert_array_equal(vectors, [vector(b"I am 42"), vector(b"b")])
    assert list(domain[0].probabilities["domain"].values()) == pytest.approx(
        probabilities(b"b", "domain").tolist()
    )
    assert [(one.start, one.stop, one.label) for one in pii[0].entities["pii"]] == [(5, 7, "AGE")]


CALLS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["", "a", "bb", "cut", "d" * 5000]), max_size=4),
        st.none() | st.sets(st.sampled_from(sorted(LABELS))),
        st.integers(0, 2 * TURNS),  # turns of the event loop before it asks
        st.booleans(),  # gives up
    ),
    max_size=8,
)


async def _caller(gathering, texts, tasks, late):
    await turns(late)
    if tasks is None:
        return await gathering.embed("m", texts)
    return await gathering.classify("m", texts, tasks)


async def _scenario(calls):
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    callers = [asyncio.create_task(_caller(gathering, *call[:3])) for call in calls]
    await turns()
    for caller, (*_, hasty) in zip(callers, calls, strict=True):
        if hasty:
            caller.cancel()
    await turns()
    source.gate.set()
    return await asyncio.gather(*callers, return_exceptions=True), source


def _expected(texts, tasks):
    rows = [Row(text.encode(), frozenset(tasks or ()), tasks is None) for text in texts]
    answers = [_answer(row) for row in rows]
    return [answer.vector.tolist() if tasks is None else answer.said for answer in answers]


@given(CALLS)
def test_every_caller_gets_its_own_answers_whoever_else_asks_or_gives_up(calls):
    answers, source = asyncio.run(_scenario(calls))

    for rows in texts_of(source):
        assert len(rows) == len(set(rows))
    for answer, (texts, tasks, _, hasty) in zip(answers, calls, strict=True):
        if isinstance(answer, asyncio.CancelledError):
            assert hasty
        else:
            found = answer.tolist() if tasks is None else answer
            assert found == _expected(texts, tasks)


async def test_patience_travels_with_a_text_and_apart_from_others_of_the_moment():
    source = Source()
    gathering = Gathering(source)
    unhurried = gathering.unhurried(60.0)

    _, vectors, said, _ = await asyncio.gather(
        gathering.classify("m", ["a", "b"], ["domain"]),
        unhurried.embed("m", ["b"]),
        unhurried.classify("m", ["c"], ["guard"]),
        gathering.classify("m", ["c"], ["domain"]),
    )

    assert sorted(texts_of(source)) == [["a"], ["b", "c"]]
    assert source.patience == {"a": 0.0, "b": 60.0, "c": 60.0}
    np.testing.assert_array_equal(vectors, [vector(b"b")])
    assert list(said[0].probabilities) == ["guard"]
    assert unhurried.labels("m") == LABELS
    assert unhurried.languages("m") == {}


async def test_who_has_patience_does_not_wait_for_an_answer_that_may_be_given_up_early():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    hurried = asyncio.create_task(gathering.classify("m", ["a"], ["domain"]))
    await source.entered.wait()

    waiting = [
        asyncio.create_task(one.classify("m", ["a"], ["domain"]))
        for one in (gathering, gathering.unhurried(60.0), gathering.unhurried(60.0))
    ]
    await turns()
    late = asyncio.create_task(gathering.unhurried(30.0).classify("m", ["a"], ["domain"]))
    await turns()
    source.gate.set()
    await asyncio.gather(hurried, *waiting, late)

    assert texts_of(source) == [["a"], ["a"]]


async def test_a_picture_that_several_ask_about_at_the_same_time_travels_once():
    source = Source()
    gathering = Gathering(source)
    picture = b"picture"

    one, two, text = await asyncio.gather(
        gathering.see("m", [picture]),
        gathering.see("m", [b"other", bytes(bytearray(picture)), picture]),
        gathering.embed("m", ["hi"]),
    )
    await gathering.see("m", [picture])

    looked = [(model, asked) for model, asked, _ in source.looks]
    assert looked == [("m", picture), ("m", b"other"), ("m", picture)]
    np.testing.assert_array_equal(one.embeddings, [vector(picture)])
    np.testing.assert_array_equal(
        two.embeddings, [vector(b"other"), vector(picture), vector(picture)]
    )
    assert (two.known.tolist(), two.floor, len(text)) == ([0.75] * 3, 0.25, 1)


async def test_patience_with_a_picture_travels_apart():
    source = Source()
    gathering = Gathering(source)

    await asyncio.gather(
        gathering.see("m", [b"a"]),
        gathering.unhurried(60.0).see("m", [b"a"]),
        gathering.unhurried(60.0).see("m", [b"a"]),
    )

    assert source.looks == [("m", b"a", 0.0), ("m", b"a", 60.0)]


async def test_a_picture_that_is_refused_fails_those_that_ask_about_it():
    source = Source(ImageRefused("empty"))
    gathering = Gathering(source)

    errors = await asyncio.gather(
        gathering.see("m", [b"a"]), gathering.see("m", [b"a"]), return_exceptions=True
    )

    assert [(type(error), str(error)) for error in errors] == [(ImageRefused, "empty")] * 2
    assert len(source.looks) == 1


async def test_who_gives_a_picture_up_does_not_disturb_the_others():
    source = Source()
    source.gate.clear()
    gathering = Gathering(source)
    hasty, patient = (asyncio.create_task(gathering.see("m", [b"a"])) for _ in range(2))
    await source.entered.wait()
    hasty.cancel()
    await turns()
    source.gate.set()

    assert (await patient).known.tolist() == [0.75]
    assert len(source.looks) == 1
