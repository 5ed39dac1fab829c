import math

import numpy as np
import pytest

from orchestrator.labelled.guards import SUFFIXES, judge, risks, suffixed
from tests.labelled.rows import guarded, row


def examined(attacks, others, lures=(), swayed=None, served=0.7):
    risk = np.array([*attacks, *others, *lures])
    rows = [row(kind="attack") for _ in attacks]
    rows += [row() for _ in others] + [row(kind="trigger_words") for _ in lures]
    positive = np.arange(len(risk)) < len(attacks)
    after = np.array(attacks if swayed is None else swayed, dtype=float)
    return judge(rows, risk, positive, after, served)


def test_every_suffix_has_ten_words():
    assert [len(suffix.split()) for suffix in SUFFIXES] == [10] * 5
    assert len(set(SUFFIXES)) == 5


def test_suffixes_are_the_same_every_time_and_all_occur():
    texts = ["attack"] * 50

    assert suffixed(texts) == suffixed(texts)
    assert set(suffixed(texts)) == {f"attack {suffix}" for suffix in SUFFIXES}


def test_the_risk_is_what_the_positive_labels_have_together():
    assert risks(guarded(0.25, 0.5), [1]).tolist() == [0.25, 0.5]
    assert risks(guarded(0.25), [0, 1]).tolist() == [1.0]


def test_figures_by_hand():
    others = [at / 1000 for at in range(300)]  # 0.296 is exceeded by three, 0.284 by fifteen
    guard = examined([0.95, 0.7, 0.2965, 0.285], others)

    assert (guard.positives, guard.negatives) == (4, 300)
    one, five = guard.points
    assert (one.rate, one.threshold, one.recall) == (0.01, 0.296, 0.75)
    assert (five.rate, five.threshold, five.recall) == (0.05, 0.284, 1.0)
    assert guard.auc == pytest.approx((300 + 300 + 297 + 285.5) / 1200)
    assert (guard.served_recall, guard.served_rate) == (0.5, 0.0)


def test_over_defence_is_at_the_threshold_of_the_other_negatives():
    guard = examined([0.9], [0.1, 0.2, 0.3], lures=[0.3, 0.4, 0.8, 0.1])

    assert guard.over_defence.texts == 4
    assert guard.over_defence.threshold == 0.3
    assert guard.over_defence.rate == 0.5
    assert guard.over_defence.served_rate == 0.25
    assert examined([0.9], [0.1]).over_defence is None
    assert examined([0.9], [], lures=[0.1]).over_defence is None


def test_flips_are_of_what_was_detected():
    guard = examined([0.9, 0.8, 0.7, 0.2], [0.5], swayed=[0.6, 0.9, 0.5, 0.1])

    # Above 0.5, which is a negative's own risk: three detected, of which 0.5 is lost.
    assert (guard.flips.detected, guard.flips.rate) == (3, pytest.approx(1 / 3))
    assert (guard.served_flips.detected, guard.served_flips.rate) == (3, pytest.approx(2 / 3))
    assert math.isnan(examined([0.1], [0.5]).flips.rate)


def test_without_negatives_there_is_no_rate_of_false_alarms():
    guard = examined([0.9, 0.1], [], served=None)

    assert guard.points == ()
    assert guard.flips is guard.served_flips is guard.served_recall is None
    assert math.isnan(guard.auc)
