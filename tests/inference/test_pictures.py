import asyncio
import logging

import pytest

from orchestrator.config.images import Images
from orchestrator.errors import (
    ImageNotFetched,
    InferenceError,
    InferenceUnavailable,
    ModelUntrusted,
    UnreadableImage,
)
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.pictures import LARGE, MOST, Pictures, attempted
from orchestrator.inference.questions import IMAGE_SIGNALS
from orchestrator.types import Request
from tests.matching.encoded import gif, jpeg, png, uri

A, B, ODD = png(1, 1), png(2, 2), jpeg(3, 3)
LINK = "https://pictures.example.org/a.png"
ALLOWED = {"enabled": True, "allow": ["pictures.example.org"], "timeout_seconds": 7}


@pytest.fixture
def inference():
    return FakeInference(
        pictures={A: [1.0, 0.0], B: [0.0, 1.0], ODD: [1.0, 1.0]}, known={A: 0.9, B: 0.8, ODD: 0.2}
    )


def pictures(inference, limit=1.0, **settings):
    return Pictures(inference, Images.model_validate(settings), limit=limit)


def showing(*images):
    return Request("auto", "what is this?", images=images)


def told(views):
    return [view.reason or view.vector.tolist() for view in views.each]


async def test_without_pictures_nobody_is_asked(inference):
    looking = pictures(inference)

    views = await looking.views(showing())

    assert (views.each, views.vectors, views.reason, views.known) == ((), [], "", None)
    assert not looking.shown(showing())
    assert (inference.looked, looking.of(showing()), looking.wait(showing())) == ([], (), 0.0)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        pytest.param("data:text/html;base64,PGI+", "image_refused", id="no picture"),
        pytest.param(uri(b"<svg/>", "svg+xml"), "image_refused", id="svg"),
        pytest.param(uri(B, "gif"), "image_refused", id="a lie about the type"),
        pytest.param(uri(A)[:-1], "image_refused", id="cut short"),
        pytest.param(uri(png(100_000, 100_000)), "image_refused", id="a bomb"),
        pytest.param(uri(gif(), "gif"), "image_refused", id="refused by the preprocessor"),
        pytest.param(uri(ODD, "jpeg"), "unfamiliar_image", id="of an unknown kind"),
    ],
)
async def test_why_nothing_is_known_of_a_picture(inference, written, reason):
    inference.refused = {gif(): "a gif that ends within its header"}

    views = await pictures(inference).views(showing(written))

    assert (told(views), views.reason, views.vectors) == ([reason], reason, [])


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        pytest.param(InferenceUnavailable("gone"), "inference_unavailable", id="away"),
        pytest.param(ModelUntrusted("other pixels"), "model_untrusted", id="untrusted"),
    ],
)
async def test_a_model_that_does_not_answer(inference, failure, reason):
    inference.failure = failure

    assert told(await pictures(inference).views(showing(uri(A)))) == [reason]


async def test_a_picture_is_seen(inference):
    views = await pictures(inference).views(showing(uri(A)))

    assert told(views) == [[1.0, 0.0]]
    assert (views.reason, views.cut, views.known) == ("", False, pytest.approx(0.9))
    assert inference.looked == [(IMAGE_SIGNALS, (A,))]


async def test_a_large_picture_is_seen_too(inference):
    large = png(tail=bytes(LARGE))
    inference.pictures[large] = [0.0, 1.0]

    assert told(await pictures(inference).views(showing(uri(large)))) == [[0.0, 1.0]]
    assert told(await pictures(inference).views(showing(uri(large, "gif")))) == ["image_refused"]


async def test_at_the_floor_it_is_known(inference):
    inference.floor, inference.known = 0.25, {A: 0.25}

    assert told(await pictures(inference).views(showing(uri(A)))) == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("which", "seen", "cut"),
    [
        pytest.param("first", [A], False, id="first"),
        pytest.param("any", [A, B, ODD, A, B, ODD, A, B], True, id="any"),
    ],
)
async def test_which_pictures_are_looked_at(inference, which, seen, cut):
    many = [uri(A), uri(B), uri(ODD, "jpeg")] * 3
    assert len(many) == MOST + 1

    views = await pictures(inference, which=which).views(showing(LINK, *many))

    assert [picture for _, (picture,) in inference.looked] == seen
    assert (len(views.each), views.cut) == (len(seen), cut)


async def test_a_refused_picture_costs_no_other_its_answer(inference):
    views = await pictures(inference, which="any").views(
        showing(uri(A), uri(b"<svg/>", "svg+xml"), uri(ODD, "jpeg"), uri(B))
    )

    assert told(views) == [[1.0, 0.0], "image_refused", "unfamiliar_image", [0.0, 1.0]]
    assert len(views.vectors) == 2
    assert (views.reason, views.known) == ("image_refused", pytest.approx(0.9))


@pytest.mark.parametrize(
    "refused", [uri(b"<svg/>", "svg+xml"), uri(gif(), "gif")], ids=["svg", "gif"]
)
async def test_a_policy_may_want_a_refused_picture_said(inference, refused):
    inference.refused = {gif(): "SVG, which is not read"}
    looking = pictures(inference, which="any", on_refused="error")

    with pytest.raises(
        UnreadableImage, match="image 2 of the request is not read: it is .*SVG|svg"
    ):
        await looking.views(showing(uri(A), refused))

    assert (await looking.views(showing(uri(A)))).reason == ""


async def test_a_policy_that_wants_that_said_means_no_other_failure(inference):
    inference.failure = InferenceUnavailable("gone")

    views = await pictures(inference, on_refused="error").views(showing(uri(A)))

    assert views.reason == "inference_unavailable"


async def test_no_log_holds_anything_of_a_picture(inference, caplog):
    caplog.set_level(logging.DEBUG)
    written = uri(A, "webp")

    await pictures(inference).views(showing(written))

    assert "image 1 of the request" in caplog.text
    assert written[30:50] not in caplog.text


class Waiting(FakeInference):
    """Answers when `go` is set."""

    def __init__(self, **scripted):
        super().__init__(**scripted)
        self.go = asyncio.Event()
        self.cancelled = 0

    async def see(self, model, pictures):
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().see(model, pictures)


async def test_signals_that_ask_at_the_same_time_share_one_look():
    inference = Waiting(pictures={A: [1.0, 0.0]})
    looking = pictures(inference)
    request = showing(uri(A))
    first, second = (asyncio.ensure_future(looking.views(request)) for _ in range(2))
    await asyncio.sleep(0)
    other = asyncio.ensure_future(looking.views(showing(uri(A))))
    await asyncio.sleep(0)
    inference.go.set()

    assert await first is await second
    assert await other is not await first
    assert len(inference.looked) == 2


async def test_a_caller_that_leaves_takes_nobody_with_it_and_the_last_ends_the_look():
    inference = Waiting(pictures={A: [1.0, 0.0]})
    looking = pictures(inference)
    request = showing(uri(A))
    first, second = (asyncio.ensure_future(looking.views(request)) for _ in range(2))
    for _ in range(5):
        await asyncio.sleep(0)

    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert inference.cancelled == 0
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    for _ in range(5):
        await asyncio.sleep(0)

    assert inference.cancelled == 1
    inference.go.set()
    assert (await looking.views(request)).reason == ""


async def test_a_model_that_hangs_is_late():
    views = await pictures(Waiting(), limit=0.01).views(showing(uri(A)))

    assert views.reason == "inference_timeout"


class Fetching:
    def __init__(self, data=A, failure=None):
        self.data = data
        self.failure = failure
        self.urls = []

    async def __call__(self, url):
        self.urls.append(url)
        if self.failure is not None:
            raise self.failure
        return self.data


async def test_where_nothing_is_fetched_a_url_is_no_picture(inference):
    looking = pictures(inference)

    assert looking.of(showing(LINK, uri(B))) == (uri(B),)
    assert told(await looking.views(showing(LINK, uri(B)))) == [[0.0, 1.0]]


async def test_where_the_policy_fetches_the_first_may_be_a_url(inference):
    fetch = Fetching()
    looking = Pictures(inference, Images.model_validate({"fetch": ALLOWED}), fetch)

    assert told(await looking.views(showing(LINK, uri(B)))) == [[1.0, 0.0]]
    assert fetch.urls == [LINK]
    assert [looking.wait(showing(*some)) for some in ([LINK], [uri(B), LINK], [])] == [7, 0, 0]


@pytest.mark.parametrize(
    ("fetch", "reason"),
    [
        pytest.param(Fetching(failure=ImageNotFetched("404")), "image_not_fetched", id="away"),
        pytest.param(Fetching(b"<html>"), "image_refused", id="no picture"),
        pytest.param(Fetching(b""), "image_refused", id="nothing"),
        pytest.param(Fetching(png(100_000, 100_000)), "image_refused", id="a bomb"),
    ],
)
async def test_why_nothing_is_known_of_a_linked_picture(inference, fetch, reason):
    looking = Pictures(inference, Images.model_validate({"fetch": ALLOWED}), fetch)

    assert told(await looking.views(showing(LINK))) == [reason]


async def test_a_policy_that_wants_refusals_said_means_no_picture_that_is_away(inference):
    settings = Images.model_validate({"fetch": ALLOWED, "on_refused": "error"})
    away = Pictures(inference, settings, Fetching(failure=ImageNotFetched("404")))

    assert (await away.views(showing(LINK))).reason == "image_not_fetched"
    with pytest.raises(UnreadableImage):
        await Pictures(inference, settings, Fetching(b"<svg/>")).views(showing(LINK))


async def test_attempted_keeps_only_what_models_do():
    async def failing(error):
        raise error

    assert (await attempted(failing(InferenceError("x")))).code == "inference_error"
    with pytest.raises(ValueError, match="x"):
        await attempted(failing(ValueError("x")))
