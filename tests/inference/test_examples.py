import numpy as np
import pytest

from orchestrator.config.modules import PrototypeScoring
from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.examples import MOST_BYTES, MOST_TEXTS, Banks, Examples, compare, embed
from orchestrator.inference.fake import FakeInference

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


@pytest.fixture
def inference():
    return FakeInference({"east": EAST, "north": NORTH, "west": WEST, "query": EAST})


def banks(inference, *texts):
    scoring = PrototypeScoring(best_weight=1.0)
    return Banks(inference, "things", [Examples(one, scoring) for one in texts])


async def test_several_banks_are_compared_with_one_call_for_the_text(inference):
    one, two = banks(inference, ("north",), ("east", "west")), banks(inference, ("west",))
    await one.start()
    await two.start()

    found = await compare(inference, "query", [one, two])

    assert [[score.score for score in scores] for scores in found.scores] == [[0.0, 1.0], [-1.0]]
    assert [texts for _, texts in inference.calls][2:] == [("query",)]


async def test_a_text_of_several_banks_is_embedded_once(inference):
    await banks(inference, ("north", "east"), ("east", "north")).start()

    assert inference.calls == [("text_embedding", ("north", "east"))]


async def test_without_examples_nobody_is_asked(inference):
    await banks(inference).start()

    assert inference.calls == []


async def test_average_is_over_all_examples(inference):
    both = Examples(("east", "north"), PrototypeScoring(best_weight=1.0), average=True)

    found = await compare(inference, "query", [Banks(inference, "things", [both])])

    assert found.scores[0][0].score == 0.5


async def test_a_failure_of_the_examples_is_raised_and_the_text_not_sent(inference):
    inference.failure = InferenceUnavailable("no server")
    one = banks(inference, ("north",))
    await one.start()
    inference.failure = None

    with pytest.raises(InferenceUnavailable, match="no server"):
        await compare(inference, "query", [one])

    assert ("text_embedding", ("query",)) not in inference.calls


async def test_after_a_change_of_the_model_all_banks_are_made_anew(inference):
    one, two = banks(inference, ("north",)), banks(inference, ("west",))
    await one.start()
    await two.start()
    inference.vectors = {text: [*vector, 0.0] for text, vector in inference.vectors.items()}

    with pytest.raises(InferenceError, match="answers with 3 numbers and not 2"):
        await compare(inference, "query", [one, two])

    assert len((await compare(inference, "query", [one, two])).scores) == 2


async def test_a_change_of_the_model_between_two_calls_is_a_failure():
    class Changing(FakeInference):
        async def embed(self, model, texts):
            width = 2 + len(self.calls)
            self.vectors = {text: [1.0] * width for text in texts}
            return await super().embed(model, texts)

    inference = Changing()
    one = banks(inference, tuple(f"text {i}" for i in range(MOST_TEXTS + 1)))
    await one.start()

    with pytest.raises(InferenceError, match="was replaced"):
        await one.stack()


@pytest.mark.parametrize(
    ("sizes", "cut"),
    [
        pytest.param((1, MOST_BYTES), False, id="whole"),
        pytest.param((1, MOST_BYTES + 1), True, id="one is a sample"),
    ],
)
async def test_texts_are_sampled_and_the_cut_is_told(sizes, cut):
    class Any(FakeInference):
        async def embed(self, model, texts):
            assert all(len(text.encode()) <= MOST_BYTES for text in texts)
            self.vectors = dict.fromkeys(texts, EAST)
            return await super().embed(model, texts)

    vectors, truncated = await embed(Any(), ["x" * size for size in sizes])

    assert (vectors.shape, truncated) == ((2, 2), cut)


async def test_vectors_are_scored_against_the_banks_of_another_model(inference):
    scoring = PrototypeScoring(best_weight=1.0)
    own = Banks(inference, "things", [Examples(("north", "east"), scoring)], model="image_text")

    found = await own.against([np.array(EAST, np.float32), np.array(WEST, np.float32)])

    assert [[score.score for score in scores] for scores in found] == [[1.0], [0.0]]
    assert inference.calls == [("image_text", ("north", "east"))]


async def test_only_the_first_numbers_of_both_sides_count():
    inference = FakeInference({"up": [3.0, 0.0, 4.0], "aside": [0.0, 1.0, 0.0]})
    scoring = PrototypeScoring(best_weight=1.0)
    banks = [Examples((text,), scoring) for text in ("up", "aside")]
    whole, cut = (Banks(inference, "things", banks, dimension=size) for size in (0, 2))
    query = np.array([0.6, 0.8, 0.0], np.float32)

    assert [score.score for score in (await whole.against([query]))[0]] == [0.36, 0.8]
    assert [score.score for score in (await cut.against([query]))[0]] == [0.6, 0.8]


async def test_vectors_of_another_length_are_noticed_and_the_examples_embedded_anew(inference):
    own = banks(inference, ("north",))
    await own.start()

    with pytest.raises(InferenceError, match="gave 2 numbers of a text, not 3"):
        await own.against([np.array([1, 0, 0], np.float32)])

    await own.against([np.array(EAST, np.float32)])
    assert [texts for _, texts in inference.calls] == [("north",), ("north",)]
