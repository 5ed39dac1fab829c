import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference import Classification, Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.pacing import AT_ONCE
from orchestrator.inference.questions import (
    SURE_BYTES,
    TEXT_SIGNALS,
    Answer,
    Part,
    ask,
    contents,
    cuts,
    topic,
    unread,
)
from orchestrator.matching.packs import MOST_PACKS
from orchestrator.matching.pieces import MOST_BYTES
from orchestrator.types import Request

SHARES = {"a": 0.25, "b": 0.75}


class Reader(FakeInference):
    """Reads any text; `most` characters of it, and says that it cut a longer one."""

    def __init__(self, most=10**9, shares=SHARES):
        super().__init__()
        self.most = most
        self.shares = shares

    async def classify(self, model, texts, tasks):
        self.asked.append((model, tuple(texts), tuple(tasks)))
        return [
            Classification({task: self.shares for task in tasks}, {}, truncated=len(t) > self.most)
            for t in texts
        ]


@pytest.mark.parametrize(
    ("text", "reader", "sent", "truncated"),
    [
        pytest.param("short", Reader(), 5, False, id="whole"),
        pytest.param("x" * MOST_BYTES, Reader(), MOST_BYTES, False, id="all that may be sent"),
        pytest.param("x" * (MOST_BYTES + 1), Reader(), MOST_BYTES, True, id="a sample"),
        pytest.param("x" * 50, Reader(most=49), 50, True, id="cut by the model"),
    ],
)
async def test_a_topic_is_asked_of_a_sample(text, reader, sent, truncated):
    said = await topic(reader, text, "t")

    ((model, (asked,), tasks),) = reader.asked
    assert (model, tasks) == (TEXT_SIGNALS, ("t",))
    assert sent - 2 <= len(asked) <= sent
    assert (said.probabilities, said.truncated) == (SHARES, truncated)


async def test_a_failure_is_told():
    with pytest.raises(InferenceUnavailable, match="away"):
        await topic(FakeInference(failure=InferenceUnavailable("away")), "x", "t")


@pytest.mark.parametrize(
    ("history", "read"),
    [
        pytest.param(False, ("now",), id="the current text"),
        pytest.param(
            True, ("now", "rules", "answer", "first", "second"), id="all, the first first"
        ),
    ],
)
def test_contents(history, read):
    request = Request(
        "auto", "now", prior_user_texts=("first", "second"), non_user_texts=("rules", "answer")
    )

    assert contents(request, history=history) == read


async def test_short_texts_are_asked_in_one_call():
    reader = Reader()

    answers = await ask(reader, cuts(["one", "two", "one"]), ["t", "u"])

    assert reader.asked == [(TEXT_SIGNALS, ("one", "two"), ("t", "u"))]
    assert [len(answer.parts) for answer in answers] == [1, 1, 1]


async def test_each_piece_is_asked_once():
    reader = Reader()
    texts = ["same", "x" * (MOST_BYTES + 10), "same", " "]

    answers = await ask(reader, cuts(texts), ["t", "u"])

    asked = [text for _, texts, _ in reader.asked for text in texts]
    assert (len(asked), len(set(asked))) == (3, 3)
    assert {tasks for _, _, tasks in reader.asked} == {("t", "u")}
    assert [len(answer.parts) for answer in answers] == [1, 2, 1, 0]
    assert answers[3] == Answer((), False)
    first, second = answers[1].parts
    assert (first.start, second.stop) == (0, MOST_BYTES + 10)
    assert first.stop > second.start
    assert not any(answer.truncated for answer in answers)


async def test_what_is_enough_ends_the_reading_of_its_text_alone():
    reader = Reader()
    texts = [" ".join(map(str, range(20_000))), " ".join(map(str, range(50_000, 54_000)))]

    read = cuts(texts)

    async def parts():
        answers = await ask(reader, read, ["t"], lambda said: said.probabilities["t"]["b"] > 0.9)
        assert not any(answer.truncated for answer in answers)
        return [len(answer.parts) for answer in answers]

    assert await parts() == [len(cut.pieces) for cut in read]
    reader.shares = {"a": 0.05, "b": 0.95}
    assert all(1 <= some <= AT_ONCE for some in await parts())


@pytest.mark.parametrize(
    ("cut", "history", "why"),
    [
        pytest.param([], True, None, id="nothing"),
        pytest.param([False, False], True, None, id="all was read"),
        pytest.param([False, True], False, None, id="a history that is not wanted"),
        pytest.param([False, True], True, "history_not_read", id="history"),
        pytest.param([True, True], True, "text_cut", id="both"),
    ],
)
def test_why_the_absence_of_something_is_not_known(cut, history, why):
    assert unread(cut, history=history) == why


class Finder(Reader):
    """Finds the sign # as an entity, and the whole text as another."""

    async def classify(self, model, texts, tasks):
        await super().classify(model, texts, tasks)
        return [
            Classification(
                {"t": {"b": 0.9 if "#" in text else 0.1}},
                {"t": tuple(Entity(at, at + 1, "SIGN", 0.9) for at in _signs(text))},
            )
            for text in texts
        ]


def _signs(text):
    return [at for at, sign in enumerate(text) if sign == "#"]


TURNS = [f"turn {number} of a long chat" for number in range(10 * MOST_PACKS)]


async def test_few_turns_are_asked_each_by_itself():
    reader = Reader()

    await ask(reader, cuts(["now", *TURNS[:MOST_PACKS]]), ["t"], chat=True)

    asked = [text for _, texts, _ in reader.asked for text in texts]
    assert asked == ["now", *TURNS[:MOST_PACKS]]


async def test_many_turns_are_asked_together_and_what_is_found_is_the_turns_own():
    reader = Finder()
    turns = [*TURNS]
    turns[1_234] = "the # and #"

    now, *earlier = await ask(reader, cuts(["turn 7", *turns]), ["t"], chat=True)

    asked = [text for _, texts, _ in reader.asked for text in texts]
    assert (asked[0], len(asked) <= MOST_PACKS + 2) == ("turn 7", True)
    assert now.parts[0].said.probabilities == {"t": {"b": 0.1}}
    found = {
        at: [(e.start, e.stop) for part in answer.parts for e in part.said.entities["t"]]
        for at, answer in enumerate(earlier)
    }
    assert {at: some for at, some in found.items() if some} == {1_234: [(4, 5), (10, 11)]}
    (part,) = earlier[1_234].parts
    assert (part.start, part.stop, part.said.probabilities["t"]["b"]) == (0, 11, 0.9)
    assert not any(answer.truncated for answer in (now, *earlier))


async def test_the_current_text_is_never_asked_together_with_others():
    reader = Reader()

    await ask(reader, cuts([TURNS[3], *TURNS]), ["t"], chat=True)

    asked = [text for _, texts, _ in reader.asked for text in texts]
    assert asked.count(TURNS[3]) == 1
    assert not any(TURNS[3] in text.split("\n\n") for text in asked[1:])


async def test_texts_that_are_no_chat_are_asked_each_by_itself():
    reader = Reader()

    await ask(reader, cuts(["now", *TURNS]), ["t"])

    assert sum(len(texts) for _, texts, _ in reader.asked) == len(TURNS) + 1


async def test_nothing_to_read_asks_nobody():
    reader = Reader()

    assert await ask(reader, cuts([""]), ["t"]) == (Answer((), False),)
    assert reader.asked == []


async def test_what_the_model_cut_is_asked_again_in_smaller_parts():
    reader = Reader(most=SURE_BYTES)
    text = " ".join(map(str, range(2_000)))[:7_000]

    (answer,) = await ask(reader, cuts([text]), ["t"])

    assert [len(asked) for _, asked, _ in reader.asked] == [1, 3]
    assert (answer.parts[0].start, answer.parts[-1].stop) == (0, 7_000)
    assert [part.start for part in answer.parts] == sorted(part.start for part in answer.parts)
    assert not answer.truncated


async def test_what_is_cut_even_so_is_told():
    reader = Reader(most=3)

    (answer,) = await ask(reader, cuts(["abcd"]), ["t"])

    said = Classification({"t": SHARES}, {}, truncated=True)
    assert answer == Answer((Part(0, 4, said),), truncated=True)
    assert len(reader.asked) == 1


async def test_a_selection_of_a_very_long_text_is_told():
    (answer,) = await ask(Reader(), cuts(["word " * 100_000]), ["t"])

    assert (answer.truncated, answer.parts[-1].stop) == (True, 500_000)
