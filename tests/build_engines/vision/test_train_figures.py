import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.vision import figures
from build_engines.vision.features import Rows
from build_engines.vision.figures import KNOWN
from build_engines.vision.wordings import Wording

AXES = np.eye(len(KNOWN), dtype=np.float32)
WORDINGS = [Wording(f"a {family}", family, "") for family in KNOWN]


def rows_of(families, templates=None):
    names = tuple(str(at) for at in range(len(families)))
    blank = ("",) * len(families)
    features = np.zeros((len(families), 4), np.float32)
    return Rows(features, names, tuple(families), blank, tuple(templates or blank))


def test_pictures_at_their_wordings_are_all_right():
    found = figures.of_wordings(rows_of(KNOWN), AXES, WORDINGS, AXES)

    assert [found[name] for name in ("mean", "best", "one", "inversion")] == [1, 1, 1, 0]


def test_two_families_exchanged_are_named():
    swapped = AXES[[1, 0, *range(2, len(KNOWN))]]
    found = figures.of_wordings(rows_of(KNOWN), swapped, WORDINGS, AXES)

    assert found["mean"] == found["one"] == 1 - 2 / len(KNOWN)
    assert found["inversion"] == 2 / len(KNOWN)
    assert found["families"][KNOWN[0]]["mostly_taken_for"] == KNOWN[1]
    assert [name for name, one in found["families"].items() if one["inverted"]] == list(KNOWN[:2])


def test_pictures_and_wordings_of_no_family_are_left_out():
    rows = rows_of((*KNOWN, "other"))
    embeddings = np.concatenate([AXES, AXES[:1]])
    wordings = [*WORDINGS, Wording("a picture", "other", "")]
    found = figures.of_wordings(rows, embeddings, wordings, np.concatenate([AXES, AXES[1:2]]))

    assert (found["pictures"], found["wordings"], found["mean"]) == (len(KNOWN), len(KNOWN), 1)


@pytest.mark.parametrize(
    ("surety", "wrong", "expected"),
    [
        pytest.param([0.9] * 40, [], 0.01, id="all are right"),
        pytest.param([0.9] * 40, [0.9], 0.01, id="one in forty may be wrong"),
        pytest.param([0.9] * 20, [0.3], 0.31, id="one in twenty may not"),
        pytest.param([0.9] * 20 + [0.2] * 20, [0.3, 0.7], 0.71, id="however many are lost"),
        pytest.param([0.9] * 20, [0.995] * 20, 0.99, id="no floor will do"),
        pytest.param([0.5] * 20, [0.6], 0.99, id="nothing above is not right"),
    ],
)
def test_floor(surety, wrong, expected):
    found = np.array(surety + wrong, np.float32) + np.float32(1e-6)
    right = np.array([True] * len(surety) + [False] * len(wrong))

    assert figures.floor_of(found, right) == expected


def test_right_is_what_is_nearest_to_its_own_family():
    rows = rows_of((KNOWN[0], KNOWN[1], "other"))

    found = figures.rightly(rows, AXES[[0, 2, 0]], AXES)

    assert found.tolist() == [True, False, False]


def test_shares_below_and_above_the_floor():
    rows = rows_of(["chart", "chart", "other", "other"], ["a", "a", "photograph", "noise"])
    right = np.array([True, False, False, False])
    found = figures.of_known(rows, np.array([0.9, 0.4, 0.1, 0.8], np.float32), right, 0.5)

    assert (found["known_passed"], found["passed_right"], found["other_refused"]) == (0.5, 1, 0.5)
    assert found["floors"]["0.5"] == {"passed": 0.5, "right": 1, "refused": 0.5}
    assert found["floors"]["0.85"] == {"passed": 0.5, "right": 1, "refused": 1}
    assert found["photographs_refused"] == 1
    assert found["other_templates"] == {"noise": 0, "photograph": 1}
    assert found["families"]["chart"] == 0.5


@pytest.mark.parametrize(
    ("surety", "known", "expected"),
    [
        pytest.param([0.5, 0.5], [True, False], 0, id="as often as it says"),
        pytest.param([1, 1], [False, False], 1, id="sure and wrong"),
        pytest.param([0.95, 0.95, 0.15, 0.15], [True, True, False, False], 0.1, id="too shy"),
    ],
)
def test_calibration_error(surety, known, expected):
    found = figures.calibration_error(np.array(surety, np.float32), np.array(known))

    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Röntgenfoto eines Knochens", False),
        ("コードの画像", False),
        ("hoja de papel", False),
        ("un document imprimé", False),
        ("a page of a document", True),
        ("X-ray photograph of a limb", True),
    ],
)
def test_in_english(text, expected):
    assert figures.in_english(Wording(text, "chart", "")) is expected


def test_the_test_split_is_told_apart_by_who_drew_it():
    rows = rows_of(("chart", "other", "medical"), ("new_pie", "room", "new_scan"))

    names = {hand: figures.only(rows, kept).names for hand, kept in figures.parts(rows).items()}

    assert list(names.values()) == [("1",), ("0", "2")]
    assert figures.only(rows, figures.parts(rows)["templates of the second hand"]).families == (
        "chart",
        "medical",
    )
