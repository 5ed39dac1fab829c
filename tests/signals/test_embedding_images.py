"""Embedding rules that look at pictures."""

from dataclasses import replace

import pytest

from orchestrator.errors import UnreadableImage
from orchestrator.inference.fake import FakeInference
from orchestrator.types import Reading, Shape
from tests.circle import cos
from tests.signals.shown import (
    BETWEEN,
    CAT,
    HELP,
    IDENTITY,
    PASSPORT,
    SCREEN,
    SVG,
    TERMINAL,
    embedding,
    seeing,
    showing,
)


@pytest.fixture
def inference():
    return seeing()


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


UNSEEN = {"identity": "pictures_not_seen", "screen": "pictures_not_seen"}


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
        pytest.param([BETWEEN] * 8 + [PASSPORT], {}, UNSEEN, True, id="beyond the eighth"),
        pytest.param(
            [PASSPORT] + [BETWEEN] * 8,
            {"identity": cos(10)},
            {"screen": "pictures_not_seen"},
            True,
            id="a match stands beside one that is not seen, its absence does not",
        ),
        pytest.param(["http://example.org/a.png"], {}, UNSEEN, True, id="a URL alone"),
        pytest.param(["http://example.org/a.png", BETWEEN], {}, UNSEEN, True, id="beside a URL"),
        pytest.param([BETWEEN] * 7 + [PASSPORT], {"identity": cos(10)}, {}, False, id="the eighth"),
    ],
)
async def test_of_any_picture_the_best_counts(inference, pictures, matches, unknown, cut):
    signal = embedding(
        inference, IDENTITY, SCREEN, images={"which": "any"}, min_score_threshold=0.95
    )

    reading = await signal.evaluate(showing(*pictures))

    assert (reading.matches, reading.unknown, reading.truncated) == (matches, unknown, cut)


@pytest.mark.parametrize(
    ("which", "shown", "unknown"),
    [
        pytest.param("first", 3, {}, id="first"),
        pytest.param("any", 1, {}, id="any, all of them looked at"),
        pytest.param("any", 2, UNSEEN, id="any"),
    ],
)
async def test_a_picture_that_only_the_model_reads_counts_too(inference, which, shown, unknown):
    """In a system message, or under a URL that nobody here reads."""
    signal = embedding(
        inference, IDENTITY, SCREEN, images={"which": which}, enable_soft_matching=False
    )
    request = replace(showing(BETWEEN), shape=Shape(pictures=shown))
    alone = replace(showing(), shape=Shape(pictures=1))

    assert (await signal.evaluate(request)).unknown == unknown
    assert (await signal.evaluate(alone)).unknown == (UNSEEN if which == "any" else {})
    assert (await signal.evaluate(request)).matches == {}


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
