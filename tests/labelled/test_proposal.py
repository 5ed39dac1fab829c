import pytest
import yaml

from orchestrator.config.settings import Global
from orchestrator.inference import Entity
from orchestrator.inference.tasks import Task
from orchestrator.labelled.asking import Said
from orchestrator.labelled.examination import Examined
from orchestrator.labelled.figures import Report
from orchestrator.labelled.proposal import fragment, propose
from orchestrator.labelled.thresholds import Served
from tests.labelled.rows import GUARD, PII, TOPIC, guarded, row

PATH = ("model_catalog", "modules", "prompt_guard", "threshold")
DOMAIN = ("model_catalog", "modules", "classifier", "domain", "threshold")


def proposed(task, rows, said, path=PATH, value=0.7, name="some"):
    examined = Examined(Report(name, len(rows), 0), task, rows, said)
    return propose(examined, Served(path, value))


def guard(attacks, others):
    rows = [row(label="jailbreak")] * len(attacks) + [row(label="benign")] * len(others)
    return proposed(GUARD, rows, guarded(*attacks, *others), name="attacks")


def test_a_guard_by_hand():
    found = guard([0.95, 0.8, 0.3], [0.81, 0.2, 0.1])

    # Above 0.81: 0.95 alone. The best F1 flags 0.3 too, and one that is none: 6 / 7.
    assert (found.few_alarms.threshold, found.few_alarms.rate) == (0.95, 0.0)
    assert found.few_alarms.recall == pytest.approx(1 / 3)
    assert (found.best.threshold, found.best.recall) == (0.3, 1.0)
    assert found.best.f1 == pytest.approx(6 / 7)
    assert found.first == "few_alarms"


def test_one_false_alarm_of_a_hundred_is_allowed():
    found = guard([0.9, 0.5], [0.95, *[0.1] * 99])

    assert found.few_alarms.threshold == 0.5
    assert (found.few_alarms.rate, found.few_alarms.recall) == (0.01, 1.0)


@pytest.mark.parametrize(
    ("attacks", "others"),
    [
        pytest.param([], [0.5], id="no attacks"),
        pytest.param([0.5], [], id="attacks only"),
        pytest.param([0.5], [1.0], id="a false alarm at 1"),
    ],
)
def test_false_alarms_that_cannot_be_told_or_avoided(attacks, others):
    assert guard(attacks, others).few_alarms is None


def test_of_two_labels_the_second_is_decided_upon():
    rows = [row(label="yes"), row(label="no"), row(label="yes")]
    said = [Said((0.2, 0.8)), Said((0.4, 0.6)), Said((0.3, 0.7))]

    found = proposed(Task(("no", "yes")), rows, said)

    assert (found.best.threshold, found.best.f1) == (0.7, 1.0)
    assert found.first == "best"


def test_of_more_labels_every_probability_is():
    rows = [row(label="art"), row(label="law")]
    said = [Said((0.6, 0.3, 0.1)), Said((0.1, 0.4, 0.5))]

    found = proposed(TOPIC, rows, said)

    # 0.6 is right, 0.5 is wrong, 0.4 is right.
    assert (found.best.threshold, found.best.f1) == (0.4, pytest.approx(0.8))
    assert found.best.rate == pytest.approx(1 / 4)


def test_entities_that_nobody_found_count_as_missed():
    rows = [row(spans=[(0, 3, "PERSON"), (5, 8, "PERSON")]), row()]
    said = [
        Said(united=(Entity(0, 3, "PERSON", 0.8),)),
        Said(united=(Entity(0, 2, "PERSON", 0.3),)),
    ]

    found = proposed(PII, rows, said)

    assert found.best.f1 == pytest.approx(2 / 3)
    assert (found.best.threshold, found.best.recall, found.best.rate) == (0.8, 0.5, 0.0)
    assert found.few_alarms.recall == 1.0  # of texts: of those with entities it says so


def test_the_fragment_is_a_policy_that_says_what_it_was_measured_on():
    rows = [row(label="art"), row(label="law")]
    said = [Said((0.6, 0.3, 0.1)), Said((0.1, 0.8, 0.1))]
    topic = proposed(TOPIC, rows, said, DOMAIN, None, "subjects")
    text = fragment([guard([0.95, 0.8], [0.5]), topic], ["a.jsonl", "b.jsonl"])

    document = yaml.safe_load(text)

    modules = Global.model_validate(document["global"]).model_catalog.modules
    assert modules.prompt_guard.threshold == 0.8
    assert modules.classifier.domain.threshold == 0.6
    assert "a.jsonl, b.jsonl" in text
    assert "# attacks, 3 texts; served now: 0.7" in text
    assert "# subjects, 2 texts; served now: its own default" in text
    assert "# 0.8 finds 100.0%, false alarms 0.00%, F1 1.000: at most 1% of false alarms" in text


def test_false_alarms_that_are_unknown_are_said_to_be():
    assert "false alarms unknown, F1 1.000: the best F1" in fragment([guard([0.5], [])], ["a"])


def test_nothing_to_propose():
    assert fragment([guard([], [0.5])], ["a"]) == ""
