"""Embedding rules that look at pictures."""

import math

import pytest

from orchestrator.config.images import Images
from orchestrator.errors import InferenceError, InferenceUnavailable, UnreadableImage
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.embedding import Embedding, EmbeddingRule
from orchestrator.types import Reading, Request
from tests.matching.encoded import png, uri

# Phrases and pictures on the unit circle: a score is the cosine of the angle between two of them.
ANGLES = {"a passport": 0, "an identity card": 20, "a terminal": 90, "help": 45, "a question": 50}
PASSPORT, TERMINAL, BETWEEN, CAT = (png(n, n) for n in (1, 2, 3, 4))
SEEN = {PASSPORT: 10, TERMINAL: 85, BETWEEN: 45, CAT: 5}


def circle(degrees):
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def cos(degrees):
    return pytest.approx(math.cos(math.radians(degrees)), abs=1e-6)


@pytest.fixture
def inference():
    return FakeInference(
        {text: circle(angle) for text, angle in ANGLES.items()},
        pictures={picture: circle(angle) for picture, angle in SEEN.items()},
        known={CAT: 0.1},
    )


IDENTITY = {
    "name": "identity",
    "threshold": 0.9,
    "candidates": ["a passport", "an identity card"],
    "query_modality": "image",
}
SCREEN = IDENTITY | {"name": "screen", "candidates": ["a terminal"]}
HELP = {"name": "help", "threshold": 0.9, "candidates": ["help"]}


def embedding(inference, *rows, images=None, fetch=None, **settings):
    rules = [EmbeddingRule.model_validate(row) for row in rows]
    given = Surroundings(
        inference,
        {"embedding": {"prototype_scoring": {"best_weight": 1.0}} | settings},
        images=Images.model_validate(images or {}),
        fetch=fetch,
    )
    return Embedding(rules, given)


def showing(*pictures, text="what is this?"):
    written = tuple(uri(one) if isinstance(one, bytes) else one for one in pictures)
    return Request("auto", text, images=written)


SVG = uri(b"<svg/>", "svg+xml")


@pytest.mark.parametrize(
    ("pictures", "settings", "matches", "unknown"),
    [
        pytest.param([], {}, {}, {}, id="no picture"),
        pytest.param(["http://example.org/a.png"], {}, {}, {}, id="a URL"),
        pytest.param([BETWEEN], {"enable_soft_matching": False}, {}, {}, id="nothing like it"),
        pytest.param(
            [BETWEEN],
            {"min_score_threshold": 0.95},
            {},
            {},
            id="nothing near enough to match softly",
        ),
        pytest.param(
            [CAT],
            {},
            {},
            {"identity": "unfamiliar_image", "screen": "unfamiliar_image"},
            id="of an unknown kind, however close",
        ),
        pytest.param(
            [SVG], {}, {}, {"identity": "image_refused", "screen": "image_refused"}, id="refused"
        ),
        pytest.param([PASSPORT, SVG], {}, {"identity": cos(10)}, {}, id="the first of two"),
        pytest.param(
            [SVG, PASSPORT],
            {},
            {},
            {"identity": "image_refused", "screen": "image_refused"},
            id="the first of two is refused",
        ),
        pytest.param([TERMINAL], {}, {"screen": cos(5)}, {}, id="the other rule"),
        pytest.param(
            [BETWEEN],
            {"min_score_threshold": 0.7},
            {"identity": cos(45), "screen": cos(45)},
            {},
            id="nothing hard: what comes near",
        ),
    ],
)
async def test_matches(inference, pictures, settings, matches, unknown):
    signal = embedding(inference, IDENTITY, SCREEN, **settings)

    reading = await signal.evaluate(showing(*pictures))

    assert (reading.matches, reading.unknown) == (matches, unknown)


@pytest.mark.parametrize(
    ("pictures", "matches", "unknown", "cut"),
    [
        pytest.param([BETWEEN, TERMINAL], {"screen": cos(5)}, {}, False, id="the second"),
        pytest.param(
            [PASSPORT, TERMINAL], {"identity": cos(10), "screen": cos(5)}, {}, False, id="both"
        ),
        pytest.param(
            [SVG, PASSPORT],
            {"identity": cos(10)},
            {"screen": "image_refused"},
            False,
            id="a match stands beside a refused one, its absence does not",
        ),
        pytest.param(
            [BETWEEN, CAT],
            {},
            {"identity": "unfamiliar_image", "screen": "unfamiliar_image"},
            False,
            id="nothing matches softly beside one that is not known",
        ),
        pytest.param([BETWEEN] * 8 + [PASSPORT], {}, {}, True, id="beyond the eighth"),
        pytest.param([BETWEEN] * 7 + [PASSPORT], {"identity": cos(10)}, {}, False, id="the eighth"),
    ],
)
async def test_of_any_picture_the_best_counts(inference, pictures, matches, unknown, cut):
    signal = embedding(
        inference, IDENTITY, SCREEN, images={"which": "any"}, min_score_threshold=0.95
    )

    reading = await signal.evaluate(showing(*pictures))

    assert (reading.matches, reading.unknown, reading.truncated) == (matches, unknown, cut)


async def test_values(inference):
    mean = IDENTITY | {"aggregation_method": "mean"}
    signal = embedding(inference, mean, prototype_scoring={"cluster_similarity_threshold": 0.99})

    reading = await signal.evaluate(showing(PASSPORT))

    assert reading.values == {
        "identity": cos(10),
        "identity:best": cos(10),
        "identity:support": cos(10),
        "identity:prototype_count": 2,
        "identity:known": 1.0,
    }


@pytest.mark.parametrize(
    ("picture", "values"),
    [
        pytest.param(CAT, {"identity:known": pytest.approx(0.1)}, id="of an unknown kind"),
        pytest.param(SVG, {}, id="refused"),
    ],
)
async def test_what_is_not_known_has_no_score(inference, picture, values):
    reading = await embedding(inference, IDENTITY).evaluate(showing(picture))

    assert reading.values == values


async def test_candidates_are_embedded_by_the_text_tower_of_the_pictures_model(inference):
    signal = embedding(inference, IDENTITY, SCREEN, HELP)

    await signal.prepare()
    await signal.evaluate(showing(PASSPORT, text="a question"))

    assert sorted(inference.calls[:2]) == [
        ("image_text_embedding", ("a passport", "an identity card", "a terminal")),
        ("text_embedding", ("help",)),
    ]
    assert inference.calls[2:] == [("text_embedding", ("a question",))]
    assert inference.looked == [("image_signals", (PASSPORT,))]


@pytest.mark.parametrize(
    ("rows", "models"),
    [
        pytest.param([HELP], ("text_embedding",), id="texts"),
        pytest.param([IDENTITY], ("image_signals", "image_text_embedding"), id="pictures"),
        pytest.param(
            [IDENTITY, HELP],
            ("text_embedding", "image_signals", "image_text_embedding"),
            id="both",
        ),
        pytest.param([], (), id="none"),
    ],
)
def test_only_the_models_that_the_rules_need_are_asked(rows, models):
    rules = [EmbeddingRule.model_validate(row) for row in rows]

    assert Embedding.asks(rules, {}) == models


async def test_text_and_pictures_are_read_together(inference):
    signal = embedding(inference, IDENTITY, SCREEN, HELP, top_k=2)

    reading = signal.settle(await signal.evaluate(showing(PASSPORT, text="a question")))

    assert reading.matches == {"identity": cos(10), "help": cos(5)}
    assert {"identity", "screen", "help"} <= set(reading.values)


async def test_the_best_of_text_and_pictures_is_kept_by_default(inference):
    signal = embedding(inference, IDENTITY, HELP)

    reading = signal.settle(await signal.evaluate(showing(PASSPORT, text="a question")))

    assert reading.matches == {"help": cos(5)}


async def test_a_hard_match_of_the_text_keeps_no_soft_one_of_a_picture_out(inference):
    signal = embedding(inference, IDENTITY, HELP, top_k=0)

    reading = await signal.evaluate(showing(BETWEEN, text="a question"))

    assert reading.matches == {"identity": cos(45), "help": cos(5)}


class Half(FakeInference):
    """Fails for one of the two: texts or pictures."""

    broken = ""

    async def embed(self, model, texts):
        if model == self.broken:
            raise InferenceUnavailable(model)
        return await super().embed(model, texts)

    async def see(self, model, pictures):
        if model == self.broken:
            raise InferenceUnavailable(model)
        return await super().see(model, pictures)


@pytest.mark.parametrize(
    ("broken", "matches", "unknown"),
    [
        pytest.param("text_embedding", ["identity"], ["help"], id="of texts"),
        pytest.param("image_signals", ["help"], ["identity"], id="of pictures"),
        pytest.param("image_text_embedding", ["help"], ["identity"], id="of their candidates"),
    ],
)
async def test_a_model_that_is_away_costs_its_own_rules(inference, broken, matches, unknown):
    half = Half(inference.vectors, pictures=inference.pictures)
    signal = embedding(half, IDENTITY, HELP, top_k=0)
    half.broken = broken

    await signal.prepare()
    reading = await signal.evaluate(showing(PASSPORT, text="a question"))

    assert (list(reading.matches), list(reading.unknown)) == (matches, unknown)
    assert set(reading.unknown.values()) == {"inference_unavailable"}


async def test_without_a_picture_a_failure_is_raised_as_before(inference):
    signal = embedding(inference, IDENTITY, HELP)
    inference.failure = InferenceUnavailable("gone")

    with pytest.raises(InferenceError):
        await signal.evaluate(showing(text="a question"))


async def test_another_model_of_pictures_is_noticed(inference):
    signal = embedding(inference, IDENTITY)
    await signal.prepare()
    inference.pictures = {PASSPORT: [1.0, 0.0, 0.0]}

    first = await signal.evaluate(showing(PASSPORT))
    inference.vectors = {text: [*circle(angle), 0.0] for text, angle in ANGLES.items()}
    second = await signal.evaluate(showing(PASSPORT))

    assert first.unknown == {"identity": "inference_error"}
    assert list(second.matches) == ["identity"]


@pytest.mark.parametrize(
    ("dimension", "score"),
    [
        pytest.param(0, -0.28, id="0: whole"),
        pytest.param(768, -0.28, id="more than there are"),
        pytest.param(2, 1.0, id="cut: both sides"),
    ],
)
async def test_target_dimension(dimension, score):
    inference = FakeInference(
        {"a terminal": [0.6, 0.0, 0.8]}, pictures={PASSPORT: [0.6, 0.0, -0.8]}
    )
    signal = embedding(inference, SCREEN, target_dimension=dimension)

    reading = await signal.evaluate(showing(PASSPORT))

    assert reading.values["screen"] == pytest.approx(score)


async def test_a_policy_may_want_a_refused_picture_said(inference):
    signal = embedding(inference, IDENTITY, HELP, images={"on_refused": "error"})

    with pytest.raises(UnreadableImage):
        await signal.evaluate(showing(SVG, text="a question"))


async def test_rules_of_texts_alone_look_at_no_picture(inference):
    signal = embedding(inference, HELP, images={"on_refused": "error"})

    reading = await signal.evaluate(showing(SVG, text="a question"))

    assert (reading.matches, inference.looked) == ({"help": cos(5)}, [])


async def test_a_picture_without_text(inference):
    reading = await embedding(inference, IDENTITY, HELP).evaluate(showing(PASSPORT, text=""))

    assert (reading.matches, reading.unknown) == ({"identity": cos(10)}, {})


@pytest.mark.parametrize(
    ("rows", "seconds"),
    [pytest.param([HELP], 0, id="texts"), pytest.param([IDENTITY], 5, id="image")],
)
async def test_fetching_takes_time_of_its_own(inference, rows, seconds):
    async def fetch(url):
        return PASSPORT

    allow = {"fetch": {"enabled": True, "allow": ["example.org"]}}
    signal = embedding(inference, *rows, images=allow, fetch=fetch)
    request = showing("https://example.org/a.png", text="a question")

    assert (signal.wait(request), signal.wait(showing(PASSPORT))) == (seconds, 0)
    assert ("identity" in (await signal.evaluate(request)).matches) == bool(seconds)


async def test_nothing_is_read_of_nothing(inference):
    assert await embedding(inference, IDENTITY, HELP).evaluate(showing(text=" ")) == Reading()
