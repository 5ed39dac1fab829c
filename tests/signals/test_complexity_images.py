"""Complexity rules that have examples of pictures."""

import math

import pytest

from orchestrator.config.images import Images
from orchestrator.errors import InferenceError, InferenceUnavailable, UnreadableImage
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.complexity import Complexity, ComplexityRule
from orchestrator.types import Reading, Request
from tests.circle import circle
from tests.matching.encoded import png, uri

ANGLES = {"prove": 0, "define": 90, "harder": 40, "easier": 50, "middle": 45}
SEEN_AS = {"a proof": 0, "a word": 90, "harder": 30, "easier": 60, "middle": 45}
PROOF, WORD, HARDER, CAT = (png(n, n) for n in (1, 2, 3, 4))
SVG = uri(b"<svg/>", "svg+xml")
BOTH = {
    "name": "effort",
    "threshold": 0.1,
    "hard": {"candidates": ["prove"], "image_candidates": ["a proof"]},
    "easy": {"candidates": ["define"], "image_candidates": ["a word"]},
}
TEXTS = {
    "name": "words",
    "threshold": 0.1,
    "hard": {"candidates": ["prove"]},
    "easy": {"candidates": ["define"]},
}
PICTURES = {
    "name": "looks",
    "threshold": 0.1,
    "hard": {"image_candidates": ["a proof"]},
    "easy": {"image_candidates": ["a word"]},
}


def margin(degrees):
    """Of something at this angle: how much nearer to 0 than to 90."""
    found = math.cos(math.radians(degrees)) - math.sin(math.radians(degrees))
    return pytest.approx(found, abs=2e-6)


class TwoTowers(FakeInference):
    """Texts mean something else beside pictures than among texts; a model may be away."""

    away = ""

    async def embed(self, model, texts):
        if model == self.away:
            raise InferenceUnavailable(model)
        angles = SEEN_AS if model == "image_text_embedding" else ANGLES
        self.vectors = {text: circle(angle) for text, angle in angles.items()}
        return await super().embed(model, texts)

    async def see(self, model, pictures):
        if model == self.away:
            raise InferenceUnavailable(model)
        return await super().see(model, pictures)


@pytest.fixture
def inference():
    angles = {PROOF: 10, WORD: 80, HARDER: 43, CAT: 0}
    return TwoTowers(
        pictures={picture: circle(angle) for picture, angle in angles.items()}, known={CAT: 0.1}
    )


def complexity(inference, *rows, **images):
    rules = [ComplexityRule.model_validate(row) for row in rows]
    return Complexity(rules, Surroundings(inference, {}, images=Images.model_validate(images)))


def showing(text, *pictures):
    written = tuple(uri(one) if isinstance(one, bytes) else one for one in pictures)
    return Request("auto", text, images=written)


@pytest.mark.parametrize(
    ("text", "pictures", "level", "value"),
    [
        pytest.param("harder", [HARDER], "hard", margin(40), id="the text says more"),
        pytest.param("easier", [HARDER], "easy", margin(50), id="easy, and the text says more"),
        pytest.param("harder", [PROOF], "hard", margin(10), id="the picture says more"),
        pytest.param("harder", [WORD], "easy", margin(80), id="the picture says the opposite"),
        pytest.param("easier", [], "easy", margin(60), id="no picture: the text beside pictures"),
        pytest.param("middle", [], "medium", margin(45), id="no picture, and nothing to choose"),
        pytest.param("", [PROOF], "hard", margin(10), id="no text"),
        pytest.param("harder", ["https://a.org/b.png"], "hard", margin(30), id="a URL is none"),
    ],
)
async def test_the_larger_margin_counts(inference, text, pictures, level, value):
    reading = await complexity(inference, BOTH).evaluate(showing(text, *pictures))

    assert reading.values == {"effort": value}
    assert reading.matches == {f"effort:{level}": abs(reading.values["effort"])}
    assert reading.unknown == {}


@pytest.mark.parametrize(
    ("which", "pictures", "value"),
    [
        pytest.param("first", [HARDER, WORD], margin(40), id="the first, and the text says more"),
        pytest.param("any", [HARDER, WORD], margin(80), id="any: the one that says most"),
        pytest.param("any", [WORD, HARDER], margin(80), id="any, in another order"),
    ],
)
async def test_which_picture(inference, which, pictures, value):
    reading = await complexity(inference, BOTH, which=which).evaluate(showing("harder", *pictures))

    assert reading.values == {"effort": value}


@pytest.mark.parametrize(
    ("pictures", "reason"),
    [
        pytest.param([CAT], "unfamiliar_image", id="of an unknown kind"),
        pytest.param([SVG], "image_refused", id="refused"),
        pytest.param([PROOF, CAT], "unfamiliar_image", id="any, and one of them is unknown"),
        pytest.param([PROOF] * 9, "pictures_not_seen", id="any, and one of them is not looked at"),
        pytest.param(["https://example.org/a.png"], "pictures_not_seen", id="a URL alone"),
    ],
)
async def test_a_picture_that_is_not_known_makes_its_rules_unknown(inference, pictures, reason):
    signal = complexity(inference, BOTH, TEXTS, PICTURES, which="any")

    reading = await signal.evaluate(showing("harder", *pictures))

    assert reading.unknown == {"effort": reason, "looks": reason}
    assert reading.matches == {"words:hard": margin(40)}


@pytest.mark.parametrize(
    ("away", "unknown"),
    [
        pytest.param("text_embedding", ["effort", "words"], id="of texts"),
        pytest.param("image_signals", ["effort", "looks"], id="of pictures"),
        pytest.param("image_text_embedding", ["effort", "looks"], id="of their examples"),
    ],
)
async def test_a_model_that_is_away_costs_its_own_rules(inference, away, unknown):
    signal = complexity(inference, BOTH, TEXTS, PICTURES)
    inference.away = away

    reading = await signal.evaluate(showing("harder", PROOF))

    assert sorted(reading.unknown) == unknown
    assert set(reading.unknown.values()) == {"inference_unavailable"}
    assert len(reading.matches) == 1


async def test_rules_of_texts_alone_raise_as_before_and_look_at_no_picture(inference):
    signal = complexity(inference, TEXTS, on_refused="error")

    reading = await signal.evaluate(showing("harder", SVG))
    inference.away = "text_embedding"

    assert list(reading.matches) == ["words:hard"]
    with pytest.raises(InferenceError):
        await signal.evaluate(showing("harder", SVG))


async def test_a_policy_may_want_a_refused_picture_said(inference):
    with pytest.raises(UnreadableImage):
        await complexity(inference, BOTH, on_refused="error").evaluate(showing("harder", SVG))


async def test_of_nothing_there_is_no_level(inference):
    assert await complexity(inference, BOTH, PICTURES).evaluate(showing(" ")) == Reading()


@pytest.mark.parametrize(
    ("rows", "models"),
    [
        pytest.param([TEXTS], ("text_embedding",), id="texts"),
        pytest.param([PICTURES], ("image_signals", "image_text_embedding"), id="pictures"),
        pytest.param(
            [BOTH], ("text_embedding", "image_signals", "image_text_embedding"), id="both"
        ),
        pytest.param([TEXTS | {"hard": PICTURES["hard"]}], (), id="a rule that is not run"),
    ],
)
def test_only_the_models_that_the_rules_need_are_asked(rows, models):
    rules = [ComplexityRule.model_validate(row) for row in rows]

    assert Complexity.asks(rules, {}) == models


def test_rules_of_pictures_are_run(inference):
    signal = complexity(inference, BOTH, PICTURES)

    assert (signal.not_run(), list(Complexity.check(signal.rules, None, {}))) == ((), [])


async def test_examples_of_each_kind_go_to_the_model_of_that_kind(inference):
    await complexity(inference, BOTH, TEXTS, PICTURES).prepare()

    assert sorted(inference.calls) == [
        ("image_text_embedding", ("a proof", "a word")),
        ("text_embedding", ("prove", "define")),
    ]
