import numpy as np
import pytest

from orchestrator.ranking.features import SUBJECTS, feature, fitting
from orchestrator.signals.domain import SUBJECTS as DOMAINS

VECTOR = np.array([0.6, 0.8], np.float32)


@pytest.mark.parametrize(
    ("subject", "place"),
    [("math", 0), ("computer science", 4), ("engineering", 12), ("other", 12), ("", 13)],
)
def test_place_of_a_subject(subject, place):
    found = feature(VECTOR, subject)

    assert len(found) == 2 + 14
    assert found[:2] == pytest.approx(VECTOR)
    assert np.flatnonzero(found[2:]).tolist() == [place]


def test_every_subject_of_the_classifier_but_one_has_a_place():
    assert set(DOMAINS) - set(SUBJECTS) == {"engineering"}


def test_what_an_artefact_was_trained_on():
    without, whole = fitting(VECTOR, "law", 2), fitting(VECTOR, "law", 16)

    assert without is not None and whole is not None
    assert (len(without), len(whole)) == (2, 16)
    assert fitting(VECTOR, "law", 1038) is None
