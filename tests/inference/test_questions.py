import pytest

from orchestrator.errors import InferenceUnavailable
from orchestrator.inference import Classification
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
    more_pieces,
    topic,
)
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
    ("texts", "more"),
    [
        pytest.param([""], 0, id="nothing"),
        pytest.param(["x" * 7_000], 0, id="one piece"),
        pytest.param(["x" * 80_000], 10, id="a long text"),
        pytest.param(["\N{SNOWMAN}" * 10_000], 3, id="bytes count"),
        pytest.param(["x" * 10**7], 17, id="no more than is read"),
        pytest.param(["x" * 10**6] * 9, 34, id="of the history as much"),
    ],
)
def test_how_many_more_pieces_are_read(texts, more):
    assert more_pieces(texts) == more


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
