"""A server on paper: two numbers of a file are its pixels, and the encoder turns them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from build_engines.live.pictures import SOME, WORST, compare, joined, worst
from build_engines.vision.isolation import OVERFLOW, PREPROCESS, Reference, Seen, Side, isolate
from build_engines.vision.spec import Tolerance
from orchestrator.errors import ImageRefused, InferenceError

TOLERANCE = Tolerance(cosine=0.9999, export=0.99999, known=0.01)
FILES = {f"{at}.png": bytes([at + 1, 200 - 3 * at]) for at in range(SOME + 3)}


def pixels(data):
    return np.frombuffer(data, np.uint8).astype(np.float32).reshape(2, 1, 1)


def swapped(data):
    return pixels(data)[::-1].copy()


def encode(rows):
    flat = rows.reshape(len(rows), 2)
    embeddings = (flat / np.linalg.norm(flat, axis=1, keepdims=True)).astype(np.float32)
    return Seen(embeddings, np.full(len(rows), 0.75, np.float32))


def turned(rows):
    right = encode(rows)
    return replace(right, embeddings=right.embeddings[:, ::-1].copy())


def infinite(rows):
    return replace(encode(rows), embeddings=encode(rows).embeddings * np.float32("inf"))


def unsure(known):
    """Right embeddings, and KNOWN other than it is."""
    return lambda rows: replace(encode(rows), known=np.full(len(rows), known, np.float32))


def whole(encode):
    """Files to what `encode` says of their right pixels."""
    return lambda files: encode(np.stack([pixels(one) for one in files]))


REFERENCE = Reference(
    pixels, encode, wrong_pixels={"BGR": swapped}, wrong_encoders={"mean pooling": turned}
)


class Paper:
    """Eyes that need no server."""

    def __init__(self, pixels=pixels, encode=encode, whole=None):
        self.made, self.encode, self.whole = pixels, encode, whole
        self.forgotten = 0

    def pixels(self, data):
        if data.startswith(b"bad"):
            raise ImageRefused("of no kind that is read")
        return self.made(data)

    def side(self):
        return Side(self.pixels, self.encode, self.whole)

    def forget(self):
        self.forgotten += 1


def test_what_is_right_differs_in_nothing():
    eyes, steps = Paper(), []

    found = compare(eyes, REFERENCE, FILES, TOLERANCE, steps.append)

    assert found.differs == ()
    assert steps == [SOME, 3]
    assert eyes.forgotten == 2
    assert [one["name"] for one in found.document["images"]] == list(FILES)
    assert found.document["summary"].keys() == {"end_to_end", "forward_only", "preprocess_only"}
    assert found.document["summary"]["end_to_end"]["min"] == pytest.approx(1.0)
    assert found.document["tolerance"]["end_to_end"] == 0.9999


@pytest.mark.parametrize(
    ("eyes", "said"),
    [
        pytest.param(Paper(pixels=swapped), ["preprocessing: BGR ("], id="pixels"),
        pytest.param(Paper(encode=turned), ["encoder: mean pooling ("], id="encoder"),
        pytest.param(
            Paper(swapped, turned),
            ["preprocessing: BGR (", "encoder: mean pooling ("],
            id="both, which together are right",
        ),
        pytest.param(
            Paper(encode=infinite),
            [f"encoder: {OVERFLOW} ("],
            id="not finite",
        ),
        pytest.param(
            Paper(whole=whole(turned)),
            ["end to end, though both parts alone are right, least cosine 0.0"],
            id="other parts behind the ensemble",
        ),
        pytest.param(
            Paper(encode=unsure(0.70)),
            ["encoder: KNOWN is off by 0.0500 (0.png)"],
            id="sureness of the encoder alone",
        ),
        pytest.param(
            Paper(encode=unsure(np.nan)),
            ["encoder: KNOWN is off by inf (0.png)"],
            id="sureness that is no number",
        ),
        pytest.param(
            Paper(whole=whole(unsure(0.77))),
            ["end to end, though both parts alone are right: KNOWN is off by 0.0200 (0.png)"],
            id="sureness behind the ensemble",
        ),
    ],
)
def test_what_differs_is_named(eyes, said):
    found = compare(eyes, REFERENCE, FILES, TOLERANCE)

    assert len(found.differs) == len(said)
    assert all(one.startswith(start) for one, start in zip(found.differs, said, strict=True))
    assert json.loads(json.dumps(found.document, allow_nan=False))["differs"] == [*found.differs]


def test_what_is_a_little_less_sure_is_within_the_tolerance():
    found = compare(Paper(encode=unsure(0.745)), REFERENCE, FILES, TOLERANCE)

    assert found.differs == ()
    summary = found.document["summary"]
    assert summary["forward_only"]["known_max_abs"] == pytest.approx(0.005, abs=1e-6)
    assert summary["preprocess_only"]["known_max_abs"] == 0.0
    assert found.document["tolerance"]["known"] == 0.01


def test_a_fault_of_one_picture_among_many_is_named():
    """One that is stored sideways, say: the diagnosis looks at the worst, not at the first."""
    last = [*FILES.values()][-1]

    def lying(data):
        return swapped(data) if data == last else pixels(data)

    reference = replace(REFERENCE, wrong_pixels={"BGR": swapped, "not upright": lying})

    (said,) = compare(Paper(pixels=lying), reference, FILES, TOLERANCE).differs

    assert said.startswith("preprocessing: not upright (")
    assert said.endswith(f"({[*FILES][-1]})")


def test_a_refused_picture_is_named_and_left_out():
    found = compare(Paper(), REFERENCE, {"x.svg": b"bad", **FILES}, TOLERANCE)

    assert found.document["refused"] == {"x.svg": "of no kind that is read"}
    assert len(found.document["images"]) == len(FILES)


def test_none_that_is_read_is_an_error():
    with pytest.raises(InferenceError, match=r"none of 1 pictures is read; x is of no kind"):
        compare(Paper(), REFERENCE, {"x": b"bad"}, TOLERANCE)


def test_pixels_of_another_size_are_told():
    eyes = Paper(pixels=lambda data: np.zeros((2, 2, 2), np.float32))

    with pytest.raises(InferenceError, match=r"\(2, 2, 2\), that of the reference is \(2, 1, 1\)"):
        compare(eyes, REFERENCE, FILES, TOLERANCE)


def test_parts_are_joined_as_if_they_were_one():
    ours = Side(swapped, turned)
    whole = isolate(FILES, REFERENCE, ours)
    names = list(FILES)
    parts = [
        isolate({name: FILES[name] for name in some}, REFERENCE, ours)
        for some in (names[:5], names[5:])
    ]

    assert joined(parts).document() == whole.document()


def test_the_worst_are_those_of_each_part():
    found = isolate(FILES, REFERENCE, Side(swapped, encode))

    cosines = found.vectors[PREPROCESS].cosines
    few = worst(found, 1)

    assert found.names[int(cosines.argmin())] in few.names
    assert len(few.names) <= 2
    assert few.vectors[PREPROCESS].cosines.min() == cosines.min()
    assert worst(found, 2 * WORST).document() == found.document()
