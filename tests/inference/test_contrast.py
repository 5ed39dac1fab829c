import math

import pytest

from orchestrator.errors import InferenceError, InferenceUnavailable
from orchestrator.inference.contrast import MOST_BYTES, Contrast, Sides
from orchestrator.inference.fake import FakeInference
from orchestrator.matching.pieces import Cut, Piece, pieces
from tests.circle import circle


def cos(degrees):
    return pytest.approx(math.cos(math.radians(degrees)), abs=1e-5)


ANGLES = {"attack": 0, "assault": 30, "library": 90, "rules": 150, "near": 10, "middle": 45}


class Compass(FakeInference):
    """Knows the angles, and that of "aaa" to be 0 and of "bbb" to be 90, however long."""

    def __init__(self):
        super().__init__({text: circle(angle) for text, angle in ANGLES.items()})

    async def embed(self, model, texts):
        self.vectors |= {t: circle(90 * (t[0] == "b")) for t in texts if t not in self.vectors}
        return await super().embed(model, texts)


@pytest.fixture
def inference():
    return Compass()


async def scores(inference, sides, *texts):
    contrast = Contrast(inference, "examples", sides)
    return (await contrast.scores([pieces(text) for text in texts])).scores


async def test_without_another_side_the_score_is_the_cosine_alone(inference):
    assert await scores(inference, [Sides(("attack",))], "near", "library") == [[cos(10), 0.0]]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        pytest.param("library", math.cos(math.radians(60)) - 1, id="the other side itself"),
        pytest.param("middle", math.cos(math.radians(15)) - math.cos(math.radians(45)), id="near"),
        pytest.param("attack", 1.0, id="an example"),
    ],
)
async def test_the_highest_of_the_other_side_is_taken_off(inference, text, score):
    sides = Sides(("attack", "assault"), ("library", "rules"))

    assert await scores(inference, [sides], text) == [[pytest.approx(score, abs=1e-5)]]


async def test_several_pairs_of_one_call(inference):
    contrast = Contrast(
        inference, "examples", [Sides(("library",)), Sides(("attack",), ("library",))]
    )

    found = (await contrast.scores([pieces("attack"), Cut(()), pieces("library")])).scores

    assert found == [[0.0, None, 1.0], [1.0, None, -1.0]]
    assert [texts for _, texts in inference.calls] == [
        ("library", "attack"),
        ("attack", "library"),
    ]


async def test_the_best_piece_of_a_long_text_counts(inference):
    text = "b" * 3 * MOST_BYTES + " " + "a" * MOST_BYTES + " " + "b" * 3 * MOST_BYTES

    ((score,),) = await scores(inference, [Sides(("attack",), ("library",))], text)

    assert score == 1.0
    assert all(len(piece) <= MOST_BYTES for _, texts in inference.calls for piece in texts)


@pytest.mark.parametrize(
    ("sides", "texts"),
    [
        pytest.param([], ["near"], id="nothing to compare with"),
        pytest.param([Sides(("attack",))], ["", " "], id="nothing to compare"),
    ],
)
async def test_asks_nobody(inference, sides, texts):
    assert await scores(inference, sides, *texts) == [[None] * len(texts) for _ in sides]
    assert inference.calls == []


async def test_a_failure_is_told():
    failing = FakeInference(failure=InferenceUnavailable("away"))

    with pytest.raises(InferenceUnavailable):
        await scores(failing, [Sides(("attack",))], "near")


async def test_a_model_of_another_size_is_told_and_the_examples_are_embedded_anew(inference):
    contrast = Contrast(inference, "examples", [Sides(("attack",))])
    await contrast.start()
    inference.vectors = {"near": [1.0, 0.0, 0.0], "attack": [1.0, 0.0, 0.0]}

    with pytest.raises(InferenceError, match="now answers with 3 numbers and not 2"):
        await contrast.scores([pieces("near")])

    assert (await contrast.scores([pieces("near")])).scores == [[1.0]]


async def test_a_piece_that_is_not_read_hides_no_other():
    inference = FakeInference({"near": (1, 0), "foreign": (1, 0)}, unreadable={"foreign": (1, 1)})
    contrast = Contrast(inference, "examples", [Sides(("near",))])
    texts = [Cut((Piece(0, "foreign"), Piece(9, "near"))), Cut((Piece(0, "foreign"),))]

    found = await contrast.scores(texts)

    assert found.scores == [[1.0, None]]
    assert found.read == ({0, 9}, {0})
    assert found.illegible == ({0}, {0})
