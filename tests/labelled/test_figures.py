import math

import numpy as np
import pytest

from orchestrator.inference import Entity
from orchestrator.inference.languages import Gate
from orchestrator.labelled.asking import Said
from orchestrator.labelled.figures import FEWEST, classes, latency, slices
from orchestrator.labelled.guards import judge
from orchestrator.matching.languages import Detector
from tests.labelled.rows import GUARD, PII, TOPIC, guarded, row

SAID = [Said((0.7, 0.2, 0.1)), Said((0.1, 0.6, 0.3)), Said((0.2, 0.2, 0.6))]


def test_the_most_probable_label_is_found():
    rows = [row(label="art"), row(label="math"), row(label="math")]

    found = classes(rows, SAID, TOPIC)

    assert found.accuracy == pytest.approx(2 / 3)
    assert found.macro_f1 == pytest.approx((1 + 2 / 3) / 2)
    assert found.confusion == ((1, 0, 0), (0, 0, 0), (0, 1, 1))
    assert {label: one.support for label, one in found.labels.items()} == {
        "art": 1,
        "law": 0,
        "math": 2,
    }
    # 0.6 twice in one bin, right once; 0.7 once, right.
    assert found.calibration_error == pytest.approx(0.1 * 2 / 3 + 0.3 / 3)


def test_a_slice_has_enough_texts():
    few = [row(label="law", kind="few", language="de")] * (FEWEST - 1)
    rows = [*few, row(label="law", language="de", kind="other")]

    [found] = slices(rows, [Said((0.1, 0.8, 0.1))] * FEWEST, TOPIC)

    assert (found.by, found.value, found.texts) == ("language", "de", FEWEST)
    assert found.figures == {"accuracy": 1.0, "macro-F1": 1.0}


def test_a_slice_tells_how_many_texts_a_signal_would_not_ask_about():
    german = row("Wem gehört das Haus in der Stadt?", label="law", language="de")
    english = row("Who owns the house in the town?", label="law", language="en")
    rows = [german] * FEWEST + [english] * FEWEST

    found = slices(rows, [Said((0.1, 0.8, 0.1))] * len(rows), TOPIC, gate=Gate(["en"], Detector()))

    assert [(one.value, one.figures["refused"]) for one in found] == [("de", 1.0), ("en", 0.0)]


def test_a_slice_of_entities():
    rows = [row(spans=[(0, 3, "PERSON")], source="s")] * FEWEST
    said = [Said(united=(Entity(0, 3, "PERSON", 0.9), Entity(4, 5, "PERSON", 0.9)))] * FEWEST

    [found] = slices(rows, said, PII)

    assert found.figures == pytest.approx({"precision": 0.5, "recall": 1.0, "F1": 2 / 3})


def test_latency_has_its_lengths():
    found = latency(["a", "abc", "ab"], [0.001, 0.003, 0.002])

    assert (found.texts, found.p50_ms) == (3, pytest.approx(2.0))
    assert found.p95_ms == pytest.approx(2.9)
    assert (found.characters_p50, found.characters_most) == (2, 3)


def test_a_slice_of_a_guard_at_its_threshold():
    rows = [row(label="jailbreak", kind="a")] * 10 + [row(label="benign", kind="a")] * 10
    rows += [row(label="benign", kind="b")] * 20
    risk = [0.9] * 5 + [0.2] * 5 + [0.3] * 40
    risk = np.array(risk[: len(rows)])
    positive = np.array([one.label == "jailbreak" for one in rows])
    guard = judge(rows, risk, positive, risk[positive], None)

    one, other = slices(rows, guarded(*risk), GUARD, guard)

    assert guard.points[0].threshold == 0.3
    assert (one.figures["recall"], one.figures["FPR"]) == (0.5, 0.0)
    assert math.isnan(other.figures["recall"])
    assert other.figures["accuracy"] == 1.0
