import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import InferenceError
from orchestrator.inference import Classification
from orchestrator.inference.gathering import TURNS, Gathering
from orchestrator.inference.rows import MOST_BYTES, MOST_ROWS, Row
from orchestrator.inference.triton import TritonInference
from tests.inference.fake_models import TASKS, probabilities, vector
from tests.inference.fake_triton import FakeTriton, serving
from tests.inference.sources import LABELS, Source, answer_of, texts_of, turns

LIMIT_S = 20.0


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
    long, edge = ["x" * (MOST_BYTES + 1), "y" * 9000], "z" * (MOST_BYTES - 2)

    await gathering.classify("m", [long[0], "a", edge, long[1], "b"], ["domain"])
    assert sorted(texts_of(source), key=len) == [[long[0]], [long[1]], ["a", edge, "b"]]

    source.requests.clear()
    await gathering.embed("m", [str(number) for number in range(MOST_ROWS + 1)])
    assert [len(rows) for rows in texts_of(source)] == [MOST_ROWS, 1]

    source.requests.clear()
    await gathering.embed("m", [f"{number}" * (MOST_BYTES // 3) for number in range(10)])
    assert [len(rows) for rows in texts_of(source)] == [3, 3, 3, 1]


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
    answers = [answer_of(row) for row in rows]
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
