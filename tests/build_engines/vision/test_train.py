import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the engines environment: make test-engines")

from build_engines.vision import card, figures, train, wordings
from build_engines.vision.features import Rows
from build_engines.vision.wordings import Wording

TEXTS = [
    Wording("a chart", "chart", ""),
    Wording("a pie chart", "chart", "pie"),
    Wording("a terminal", "terminal", ""),
    Wording("a picture", "other", ""),
    Wording("a photo of a cat", "other", "photograph"),
]


@pytest.mark.parametrize(
    ("family", "kind", "signs"),
    [
        pytest.param("terminal", "", [-1, -1, 1, -1, -1], id="no kind"),
        pytest.param("chart", "pie", [1, 1, -1, -1, -1], id="its kind"),
        pytest.param("chart", "bar", [1, train.SIBLINGS, -1, -1, -1], id="a sibling's kind"),
        pytest.param("other", "photograph", [-1, -1, -1, 1, 1], id="photograph"),
        pytest.param("other", "icon", [-1, -1, -1, 1, 0], id="may be what is said of another"),
    ],
)
def test_which_wordings_fit(family, kind, signs):
    assert [train._sign(family, kind, one) for one in TEXTS] == signs


def rows_of(families, kinds):
    return Rows(np.ones((len(families), 3), np.float32), (), families, kinds, ())


def test_families_count_alike_however_many_wordings_they_have():
    found = train.pairs(rows_of(("chart",), ("",)), TEXTS, np.zeros((5, 384), np.float32))

    assert found.shares[:2].sum() == found.shares[2] == 1
    assert found.shares[3:].sum() == pytest.approx(1)


def test_the_known_and_the_others_count_alike():
    known = np.array([1, 1, 1, 0], np.float32)

    weights = train.evenly(known)

    assert weights.mean() == pytest.approx(1)
    assert weights[:3].sum() == pytest.approx(weights[3])


def test_a_family_is_the_mean_of_its_wordings_and_none_is_other():
    own = [Wording("", family, "") for family in (*figures.KNOWN, "chart", "other")]
    embedded = np.eye(len(own), dtype=np.float32)

    found = train.prototypes(own, embedded)

    assert found.sum(1).tolist() == [1] * len(figures.KNOWN)
    chart = found[figures.KNOWN.index("chart")]
    assert chart[figures.KNOWN.index("chart")] == chart[len(figures.KNOWN)] == 0.5


def test_families_lose_what_they_have_in_common_and_have_one_length():
    families = np.array([[9, 4, 0], [9, 0, 1], [9, -4, -1]], np.float32)

    found = train.apart(families)

    assert found == pytest.approx(
        np.array([[0, 1, 0], [0, 0, 1], [0, -0.970143, -0.242536]]), abs=1e-5
    )


def test_no_wording_is_in_training_and_test():
    trained, tested = (
        {one.text.lower() for one in wordings.of(part)} for part in ("train", "test")
    )

    assert not trained & tested


@pytest.mark.parametrize("family", figures.KNOWN)
def test_every_family_has_wordings_in_several_languages(family):
    for part in ("train", "test"):
        own = [one for one in wordings.of(part) if one.family == family]
        foreign = [one for one in own if not figures.in_english(one)]

        assert len(own) - len(foreign) >= 10
        assert len(foreign) >= 3


def test_the_card_says_what_the_figures_say(tmp_path):
    axes = np.eye(len(figures.KNOWN), dtype=np.float32)
    families = (*figures.KNOWN, "other")
    rows = Rows(axes, (), families, ("",) * 9, ("",) * 8 + ("noise",))
    own = [Wording(f"a {family}", family, "") for family in figures.KNOWN]
    split = {
        "wordings": figures.of_wordings(rows, np.concatenate([axes, axes[:1]]), own, axes),
        "known": figures.of_known(
            rows, np.array([0.9] * 8 + [0.2], np.float32), np.array([True] * 8 + [False]), 0.35
        ),
    }
    told = {
        "floor": 0.35,
        "plan": {"epochs": 3, "rate": 1e-3, "dropout": 0.2, "seed": 7},
        "pictures": {"train": dict.fromkeys(families, 480), "test": dict.fromkeys(families, 80)},
        "texts": {"train": 1500, "test": 200},
        "validation": split,
        "test": split,
        "hands": {"templates of the first hand": {"pictures": 8, "known_passed": 0.75}},
        "compared": {"sigmoid loss": {"test_mean": 1.0}, "ridge regression": {"test_one": 0.5}},
    }

    card.write(tmp_path, told)

    text = (tmp_path / card.NAME).read_text()
    assert "(3,920 numbers:" in text
    assert "The floor is 0.35" in text
    assert "| chart | 480 | 80 |" in text
    assert "the lowest at which 97% of" in text
    assert "| 0.85 | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 | 1.0 |" in text
    assert "| noise | 1.0 |" in text
    assert "| templates of the first hand | 8 | 0.75 |" in text
    assert "| ridge regression |  | 0.5 |" in text
