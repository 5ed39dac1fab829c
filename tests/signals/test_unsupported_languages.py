"""A family does not judge a text in a language that its task does not read well."""

import gc

import pytest

from orchestrator import signals
from orchestrator.config.schema import Config
from orchestrator.inference.fake import FakeInference
from orchestrator.matching.languages import Detector
from orchestrator.registry import discover
from orchestrator.signals import SIGNALS, Surroundings
from orchestrator.signals.classifier import ClassifierRule
from orchestrator.types import Reading, Request

GERMAN = "Bitte zeichne mir ein Bild von einem kleinen Haus am See"
ENGLISH = "Please draw me a picture of a little house by the lake"
WHY = "unsupported_language:de"
# Family -> a rule, and a saying that matches it.
FAMILIES = {
    "domain": ("law", {"law": 1.0}),
    "fact_check": ("needs_fact_check", {"FACT_CHECK_NEEDED": 1.0, "NO_FACT_CHECK_NEEDED": 0.0}),
    "user_feedback": (
        "wrong_answer",
        {"WRONG_ANSWER": 1.0, "SAT": 0.0, "NEED_CLARIFICATION": 0.0, "WANT_DIFFERENT": 0.0},
    ),
    "modality": ("BOTH", {"BOTH": 1.0, "AR": 0.0, "DIFFUSION": 0.0}),
}


def request(text):
    return Request("auto", text, text, has_assistant_reply=True)


def scripted(said, task, languages):
    classified = {text: {task: said} for text in (GERMAN, ENGLISH)}
    return FakeInference(classified=classified, knows={task: languages} if languages else {})


def signal(family, languages, **settings):
    discover(signals)
    name, said = FAMILIES[family]
    kind, inference = SIGNALS[family], scripted(said, family, languages)
    settings = (
        {"method": "classifier", "enabled": True} | settings if family == "modality" else settings
    )
    return kind([kind.Rule(name=name)], Surroundings(inference, {family: settings})), inference


@pytest.mark.parametrize("family", FAMILIES)
async def test_rules_are_unknown_and_nobody_is_asked(family):
    judge, inference = signal(family, ["en", "es"])

    assert await judge.evaluate(request(GERMAN)) == Reading(unknown={FAMILIES[family][0]: WHY})
    assert inference.asked == []


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("text", "languages", "settings"),
    [
        pytest.param(ENGLISH, ["en"], {}, id="a language that is read"),
        pytest.param(GERMAN, ["de", "en"], {}, id="another that is read"),
        pytest.param(GERMAN, [], {}, id="any is read"),
        pytest.param(GERMAN, ["en"], {"any_language": True}, id="any shall be"),
    ],
)
async def test_rules_are_judged(family, text, languages, settings):
    judge, inference = signal(family, languages, **settings)

    reading = await judge.evaluate(request(text))

    assert (list(reading.matches), reading.unknown) == ([FAMILIES[family][0]], {})
    assert len(inference.asked) == 1


async def test_a_hybrid_modality_goes_by_its_keywords():
    judge, inference = signal(
        "modality", ["en"], method="hybrid", keywords=["zeichne"], both_keywords=["bitte"]
    )

    reading = await judge.evaluate(request(GERMAN))

    assert reading == Reading({"BOTH": None}, {"BOTH": 0.75}, failed=WHY)
    assert inference.asked == []


LOCAL = {"type": "local", "labels": ["CALM", "ANGRY"]}


async def test_of_several_classifiers_those_are_asked_that_read_the_language():
    discover(signals)
    rows = {
        "tone": {"model_path": "tone"},
        "mood": {"model_path": "mood"},
        "forced": {"model_path": "tone2", "any_language": True},
    }
    said = {"CALM": 0.25, "ANGRY": 0.75}
    inference = FakeInference(
        classified={GERMAN: {"tone": said, "mood": said, "tone2": said}},
        knows={"tone": ["en"], "tone2": ["en"], "mood": ["de"]},
    )
    rules = [ClassifierRule.model_validate(LOCAL | row | {"name": n}) for n, row in rows.items()]
    judge = SIGNALS["classifier"](rules, Surroundings(inference))

    reading = await judge.evaluate(request(GERMAN))

    assert reading.unknown == {"tone": WHY}
    assert list(reading.matches) == ["mood:ANGRY", "forced:ANGRY"]
    assert [tasks for _, _, tasks in inference.asked] == [("mood", "tone2")]


async def test_where_no_classifier_reads_the_language_nobody_is_asked():
    discover(signals)
    said = {"CALM": 0.25, "ANGRY": 0.75}
    inference = scripted(said, "tone", ["en"])
    rule = ClassifierRule.model_validate(LOCAL | {"name": "tone", "model_path": "x/tone"})

    reading = await SIGNALS["classifier"]([rule], Surroundings(inference)).evaluate(request(GERMAN))

    assert (reading, inference.asked) == (Reading(unknown={"tone": WHY}), [])


def test_a_prompted_classifier_has_no_language_to_choose():
    row = {"name": "x", "type": "llm", "labels": ["a"], "model": "m", "instructions": "say"}

    with pytest.raises(ValueError, match="takes no any_language"):
        ClassifierRule.model_validate(row | {"any_language": True})


def test_one_detector_serves_all_and_none_is_loaded_in_vain():
    discover(signals)

    def detectors():
        gc.collect()
        return sum(type(one) is Detector for one in gc.get_objects())

    before = detectors()
    none = Surroundings(FakeInference())
    assert [none.gate(task) for task in FAMILIES] == [None] * 4
    assert detectors() == before
    some = Surroundings(FakeInference(knows={task: ["en"] for task in FAMILIES}))
    gates = [some.gate(task) for task in FAMILIES]
    assert (None in gates, detectors()) == (False, before + 1)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_setting_is_off_where_the_policy_says_nothing(family):
    block = Config.model_validate({}).global_
    for key in SIGNALS[family].settings:
        block = getattr(block, key)

    assert block.any_language is False
