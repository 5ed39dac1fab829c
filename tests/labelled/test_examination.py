from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.labelled.asking import asking
from orchestrator.labelled.examination import TIMED, examine
from orchestrator.labelled.guards import SUFFIXES
from tests.labelled.rows import GUARD, PII, TOPIC, row


def stages(told):
    def stage(name, total):
        told.append([name, total, 0])
        line = told[-1]

        def advance(done):
            line[2] += done

        return advance

    return stage


def shares(risk):
    return {"jailbreak": {"benign": 1 - risk, "jailbreak": risk}}


async def test_a_guard_is_asked_again_with_words_appended_to_attacks_only():
    scripted = {"attack": shares(0.9), "fine": shares(0.1)}
    scripted |= {f"attack {suffix}": shares(0.2) for suffix in SUFFIXES}
    rows = [row("attack", "jailbreak"), row("fine", "benign")]
    told = []

    found = await examine(
        asking(FakeInference(classified=scripted))("jailbreak", GUARD),
        "jailbreak",
        GUARD,
        rows,
        served=0.7,
        concurrency=1,
        stage=stages(told),
    )

    assert found.report.guard.served_flips.rate == 1.0
    assert found.report.classes.accuracy == 1.0
    assert found.report.entities is None
    assert found.report.latency.texts == 2
    assert told == [
        ["jailbreak", 2, 2],
        ["jailbreak, words appended", 1, 1],
        ["jailbreak, one by one", 2, 2],
    ]


async def test_a_topic_is_timed_on_some_texts():
    texts = [f"{at}" for at in range(TIMED + 50)]
    scripted = {text: {"topic": {"art": 0.8, "law": 0.1, "math": 0.1}} for text in texts}
    rows = [row(text, "art") for text in texts]

    found = await examine(
        asking(FakeInference(classified=scripted, cut=texts[:3]))("topic", TOPIC),
        "topic",
        TOPIC,
        rows,
        served=None,
        concurrency=4,
        stage=stages([]),
    )

    assert (found.report.texts, found.report.truncated) == (TIMED + 50, 3)
    assert found.report.latency.texts == TIMED
    assert found.report.guard is None


async def test_entities_have_no_classes():
    scripted = {"I am Ann": {"pii": [Entity(5, 8, "PERSON", 0.95)]}}
    rows = [row("I am Ann", spans=[(5, 8, "PERSON")])]

    found = await examine(
        asking(FakeInference(classified=scripted))("pii", PII),
        "pii",
        PII,
        rows,
        served=0.9,
        concurrency=1,
        stage=stages([]),
    )

    assert found.report.classes is None
    assert found.report.entities.alone.overall.f1 == 1.0
    assert found.report.entities.text_recall == 1.0
