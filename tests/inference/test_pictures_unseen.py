"""Pictures that a model may read and that nobody looks at here."""

from dataclasses import replace

import pytest

from orchestrator.config.images import Images
from orchestrator.inference.fake import FakeInference
from orchestrator.inference.pictures import MOST, Pictures
from orchestrator.types import Request, Shape
from tests.matching.encoded import jpeg, png, uri

A, B, ODD = png(1, 1), png(2, 2), jpeg(3, 3)
LINK = "https://pictures.example.org/a.png"


@pytest.fixture
def inference():
    return FakeInference(
        pictures={A: [1.0, 0.0], B: [0.0, 1.0], ODD: [1.0, 1.0]}, known={A: 0.9, B: 0.8, ODD: 0.2}
    )


def pictures(inference, **settings):
    return Pictures(inference, Images.model_validate(settings), limit=1.0)


def showing(*images):
    return Request("auto", "what is this?", images=images)


def elsewhere(count, *images):
    """`count` of all pictures, of which `images` are the user's."""
    return replace(showing(*images), shape=Shape(pictures=count))


@pytest.mark.parametrize(
    ("which", "request_", "judged", "cut"),
    [
        pytest.param("first", showing(LINK), False, False, id="first: a URL"),
        pytest.param("first", showing(LINK, uri(A)), True, False, id="first: beside a URL"),
        pytest.param("first", elsewhere(1), False, False, id="first: of others"),
        pytest.param("any", showing(uri(A), uri(B)), True, False, id="any: all are seen"),
        pytest.param("any", showing(LINK), True, True, id="any: a URL"),
        pytest.param("any", elsewhere(1), True, True, id="any: of others"),
        pytest.param("any", elsewhere(1, uri(A)), True, False, id="any: the one that is counted"),
        pytest.param("any", elsewhere(2, uri(A)), True, True, id="any: one more than is kept"),
    ],
)
async def test_pictures_that_nobody_looks_at(inference, which, request_, judged, cut):
    looking = pictures(inference, which=which)

    views = await looking.views(request_)

    assert (looking.shown(request_), views.cut) == (judged, cut)
    assert views.reason == ("pictures_not_seen" if cut else "")


async def test_why_a_picture_is_not_known_comes_before_those_that_are_not_seen(inference):
    many = [uri(ODD, "jpeg")] * (MOST + 1)

    assert (
        await pictures(inference, which="any").views(showing(*many))
    ).reason == "unfamiliar_image"
