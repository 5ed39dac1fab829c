import numpy as np
import pytest

from orchestrator.errors import InferenceError
from orchestrator.inference import Seen
from orchestrator.inference.picture_goldens import (
    FLOOR,
    compare_pictures,
    differing_pixels,
    digest,
    load_floor,
    load_picture_goldens,
    of_pictures,
)
from tests.inference.fake_models import known, pixels, vector
from tests.inference.golden_files import write_goldens, write_pictures

FILES = [b"one", b"two", b"drei", b"vier", b"5"]


@pytest.fixture
def goldens(tmp_path):
    return load_picture_goldens(write_pictures(tmp_path, "m"), "m")


def seen(files=FILES, embed=vector, know=known):
    vectors = np.stack([embed(one) for one in files]).astype(np.float32)
    return Seen(vectors, np.array([know(one) for one in files], np.float32), 0.25)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"pictures": []}, "cannot be read", id="no picture"),
        pytest.param({"floor": 1.5}, "cannot be read", id="a floor above 1"),
        pytest.param({"tolerance": {}}, "cannot be read", id="no tolerance"),
        pytest.param({"pixels": ["aa"]}, "differ in length", id="too few pixels"),
        pytest.param({"known": [1.0] * 6}, "differ in length", id="too many known"),
        pytest.param({"embeddings": [[1.0]] * 4}, "differ in length", id="too few vectors"),
        pytest.param({"embeddings": [[1.0]] * 4 + [[]]}, "differ in length", id="ragged"),
        pytest.param(
            {"pictures": ["a.png", "b.jpg", "c.gif", "d.webp", "f.png"]},
            r"cannot be read.*f\.png",
            id="a picture that is not there",
        ),
    ],
)
def test_goldens_that_cannot_be_used_are_named(tmp_path, changes, message):
    write_pictures(tmp_path, "m", **changes)

    with pytest.raises(InferenceError, match=message):
        load_picture_goldens(tmp_path, "m")
    assert load_floor(tmp_path, "m") == FLOOR


def test_no_goldens_and_those_of_texts_are_not_of_pictures(tmp_path):
    write_goldens(tmp_path, "texts")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "goldens.json").write_text("{")
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "goldens.json").write_text('["pictures"]')

    assert not any(of_pictures(tmp_path, m) for m in ("absent", "texts", "broken", "list"))
    assert load_floor(tmp_path, "texts") == FLOOR


def test_goldens_are_read(tmp_path, goldens):
    assert of_pictures(tmp_path, "m")
    assert goldens.pictures == tuple(FILES)
    assert goldens.names[:2] == ("a.png", "b.jpg")
    assert (goldens.tolerance, goldens.known_tolerance, goldens.floor) == (0.9999, 0.01, 0.25)
    assert load_floor(tmp_path, "m") == 0.25


def test_parts_together_are_all(goldens):
    parts = [goldens.part(turn, 4) for turn in range(4)]

    assert sorted(name for part in parts for name in part.names) == sorted(goldens.names)
    for part in parts:
        np.testing.assert_array_equal(part.vectors, [vector(one) for one in part.pictures])
        assert compare_pictures(part, seen(part.pictures)).held


def test_pixels_are_compared_by_their_digest(goldens):
    live = [digest(pixels(one).tobytes()) for one in FILES]
    live[1] = digest(pixels(b"other").tobytes())

    assert differing_pixels(goldens, live, {}) == {1}
    assert differing_pixels(goldens, live, {"d.webp": "empty"}) == {1, 3}


def _wrong(*which):
    return lambda one: -vector(one) if one in which else vector(one)


@pytest.mark.parametrize(
    ("live", "differing", "reason"),
    [
        pytest.param(
            seen(embed=_wrong(b"drei")),
            (),
            "the encoder differs: lowest cosine -1.0000 over 5 pictures, 0.9999 is required",
            id="one vector",
        ),
        pytest.param(
            seen(embed=lambda one: 3 * vector(one)),
            (),
            "the encoder differs: lowest cosine -1.0000 over 5 pictures, 0.9999 is required",
            id="not normalised",
        ),
        pytest.param(
            seen(embed=lambda one: vector(one)[:2]),
            (),
            "the encoder differs: lowest cosine -1.0000 over 5 pictures, 0.9999 is required",
            id="too short",
        ),
        pytest.param(
            seen(know=lambda one: known(one) - 0.02),
            (),
            "the encoder differs: KNOWN is off by 0.02, 0.01 is allowed",
            id="known",
        ),
        pytest.param(
            seen(),
            (1, 2),
            "preprocessing differs: the pixels of 2 of 5 pictures are not the reference's, "
            "b.jpg first",
            id="pixels that make no difference",
        ),
        pytest.param(
            seen(embed=_wrong(b"two")),
            (1,),
            "preprocessing differs: the pixels of 1 of 5 pictures are not the reference's, "
            "b.jpg first",
            id="a vector of other pixels is no fault of the encoder",
        ),
        pytest.param(
            seen(embed=_wrong(b"one")),
            (1,),
            "preprocessing differs: the pixels of 1 of 5 pictures are not the reference's, "
            "b.jpg first; the encoder differs: lowest cosine -1.0000 over 4 pictures, "
            "0.9999 is required",
            id="both",
        ),
        pytest.param(
            seen(embed=_wrong(b"one")),
            range(5),
            "preprocessing differs: the pixels of 5 of 5 pictures are not the reference's, "
            "a.png first; lowest cosine -1.0000 with them",
            id="nothing to judge the encoder by",
        ),
    ],
)
def test_what_differs_is_told_apart(goldens, live, differing, reason):
    parity = compare_pictures(goldens, live, frozenset(differing))

    assert (parity.held, parity.reason) == (False, reason)


@pytest.mark.parametrize(
    ("refused", "read", "reason"),
    [
        pytest.param(
            {"c.gif": "GIF, which is not read"},
            [b"one", b"two", b"vier", b"5"],
            "preprocessing differs: c.gif is refused, it is GIF, which is not read",
            id="one",
        ),
        pytest.param(
            dict.fromkeys(["a.png", "b.jpg", "c.gif", "d.webp", "e.png"], "empty"),
            [],
            "preprocessing differs: a.png is refused, it is empty",
            id="all",
        ),
    ],
)
def test_a_picture_that_is_refused_is_told(goldens, refused, read, reason):
    differing = differing_pixels(goldens, [""] * 5, refused) & {
        row for row, name in enumerate(goldens.names) if name in refused
    }
    live = seen(read) if read else Seen(np.empty((0, 0), np.float32), np.empty(0, np.float32), 0.5)

    parity = compare_pictures(goldens, live, differing, refused)

    assert (parity.held, parity.reason) == (False, reason)


def test_right_answers_hold(goldens):
    parity = compare_pictures(goldens, seen(know=lambda one: known(one) + 0.005))

    assert (parity.held, parity.reason, parity.count) == (True, "", 5)
    assert parity.min_cosine == pytest.approx(1, abs=1e-6)
    assert parity.probability == pytest.approx(0.005, abs=1e-6)
    assert parity.span_score is None
